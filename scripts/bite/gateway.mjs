/** Lines between the sockets: providers, gateway and the adapter to Node. */

/** @import { Mutation } from './mutations.mjs' */

/** @type {readonly Mutation[]} */
export const gateway = [
  {
    name: 'abort',
    file: 'packages/gateway/src/exchange.ts',
    find: "client.onGone(() => this.abort('client-closed'));",
    replace: '',
  },
  {
    name: 'flush',
    file: 'packages/node/src/client.ts',
    find: 'this.#flush?.();',
    replace: '',
  },
  {
    name: 'head gate',
    file: 'packages/gateway/src/flow.ts',
    find: 'if (meter.error !== undefined && !answer.begun && (answer.whole || !output)) throw new GatewayError(meter.error);',
    replace: '',
  },
  {
    name: 'keep-alive before the first event',
    file: 'packages/gateway/src/answer.ts',
    find: 'this.#options.dialect.keepAlive(this.#spoken)',
    replace: 'this.#options.dialect.keepAlive(true)',
  },
  {
    name: 'retry-after as a date is passed out',
    file: 'packages/gateway/src/headers.ts',
    find: '/^(?:retry-after|retry-after-ms|',
    replace: '/^(?:retry-after-ms|',
  },
  {
    name: 'retry-after in both units',
    file: 'packages/gateway/src/refuse.ts',
    find: '...retryAfter(error.retryAfterMs),',
    replace: '',
  },
  {
    name: 'paused at bufferBytes',
    file: 'packages/gateway/src/flow.ts',
    find: "if (unread < bufferBytes) return 'more';",
    replace: "if (unread < Number.POSITIVE_INFINITY) return 'more';",
  },
  {
    name: 'read on after a pause',
    file: 'packages/gateway/src/exchange.ts',
    find: 'client.onDrain(() => this.#flow?.resume());',
    replace: '',
  },
  {
    name: 'an ended answer stays what it was',
    file: 'packages/gateway/src/exchange.ts',
    find: 'if (this.#cause !== undefined || this.#meter.ending !== undefined) return;',
    replace: 'if (this.#cause !== undefined) return;',
  },
  {
    name: 'a shutdown ends what does not end',
    file: 'packages/gateway/src/gateway.ts',
    find: "const end = setTimeout(() => each((exchange) => exchange.abort('shutdown')), most);",
    replace: 'const end = setTimeout(() => {}, most);',
  },
  {
    name: 'keys and nobody who asks for one',
    file: 'packages/gateway/src/schema.ts',
    find: '.find(([, one]) => one.keyed)',
    replace: '.find(() => false)',
  },
  {
    name: 'x-api-key',
    file: 'packages/gateway/src/authorize.ts',
    find: "return headers['x-api-key'] || bearer;",
    replace: 'return bearer;',
  },
  {
    name: 'model alias',
    file: 'packages/gateway/src/intake.ts',
    find: 'context: { ...decoded.context, model: name, seed, startedAt },',
    replace: 'context: { ...decoded.context, model: model.target ?? name, seed, startedAt },',
  },
  {
    name: 'body over the limit',
    file: 'packages/node/src/body.ts',
    find: 'length > maxBytes ? reject(bodyTooLarge(maxBytes)) : settle(Buffer.concat(chunks))',
    replace: 'settle(Buffer.concat(chunks))',
  },
  {
    name: 'packed body over the limit',
    file: 'packages/node/src/body.ts',
    find: 'return unpack(bytes, { maxOutputLength: maxBytes })',
    replace: 'return unpack(bytes, { maxOutputLength: 2 ** 30 })',
  },
  {
    name: 'drain',
    file: 'packages/node/src/client.ts',
    find: '#caughtUp(): void {\n    this.#unread = 0;',
    replace: '#caughtUp(): void {',
  },
  {
    name: 'client-closed is not completed',
    file: 'packages/node/src/client.ts',
    find: 'if (!writableEnded || !writableFinished) this.#left();',
    replace: 'if (!writableEnded && !writableFinished) this.#left();',
  },
  {
    name: 'key scrub',
    file: 'packages/providers/src/secrets.ts',
    find: "secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)",
    replace: 'text',
  },
  {
    name: 'redirect refusal',
    file: 'packages/providers/src/refusal.ts',
    find: 'if (reply.status < 400) return unexpected(reply);',
    replace: '',
  },
  {
    name: 'redirect refusal of fetch',
    file: 'packages/providers/src/transport/fetch.ts',
    find: "redirect: 'manual'",
    replace: "redirect: 'follow'",
  },
  {
    name: 'gzip flush',
    file: 'packages/providers/src/transport/inflate.ts',
    find: 'take();\n      settle(error',
    replace: 'settle(error',
  },
  {
    name: 'the caller aborts the upstream',
    file: 'packages/providers/src/watch.ts',
    find: "else caller.addEventListener('abort', this.#follow, { once: true });",
    replace: '',
  },
  {
    name: 'an early leave destroys the connection',
    file: 'packages/providers/src/answer.ts',
    find: 'if (!this.#over) this.#parts.watch.abort();',
    replace: '',
  },
  {
    name: 'a severe loss is refused',
    file: 'packages/providers/src/http.ts',
    find: "const severe = policy === 'reject' ? losses.find((loss) => loss.severity === 'severe') : undefined;",
    replace: 'const severe = undefined;',
  },
];
