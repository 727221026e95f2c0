/** Gemini, on both sides. */
import type { Piece } from '../support/scenes.ts';
import { wireOf } from '../support/wire/index.ts';
import { called, opaque, type Row } from './row.ts';
import { list, object, payloads, tool, type Wired } from './wired.ts';

const wire = wireOf('gemini');

/** What stands for the signature of a call that the model did not make. */
const voucher = 'skip_thought_signature_validator';

function partsOf(answer: unknown): readonly Wired[] {
  return list(object(list(object(answer).candidates)[0]?.content).parts);
}

function marks(parts: unknown): string[] {
  return list(parts).flatMap(({ functionCall, thoughtSignature }) => {
    if (functionCall === undefined) return thoughtSignature === undefined ? [] : opaque(thoughtSignature);
    const { id, name, args } = object(functionCall);
    return called(id, name, args, thoughtSignature);
  });
}

/** Signatures as the models give them: on the next call, whatever is said before it. */
function signedCalls(pieces: readonly Piece[]): readonly Piece[] {
  const isSigned = pieces.some(({ type }) => type === 'signature');
  const waiting: Piece[] = isSigned ? [] : [{ type: 'signature', value: '' }];
  return pieces.flatMap((piece) => {
    if (piece.type === 'signature') waiting.push(piece);
    if (piece.type === 'signature') return [];
    return piece.type === 'call' ? [...waiting.splice(0), piece] : [piece];
  });
}

export const gemini: Row = {
  speaker: {
    user: (text) => [{ role: 'user', parts: [{ text }] }],
    ask: (model, history, stream) => ({
      path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent' : 'generateContent'}`,
      ...(stream && { query: { alt: 'sse' } }),
      body: {
        contents: history,
        tools: [
          {
            functionDeclarations: [
              { name: tool.name, description: tool.description, parametersJsonSchema: tool.schema },
            ],
          },
        ],
        generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 4000 } },
      },
    }),
    keep: (text, stream) => [
      { role: 'model', parts: stream ? payloads(text).flatMap(partsOf) : partsOf(JSON.parse(text)) },
    ],
    /** Many keep no thoughts, but all keep the signatures of calls. */
    forget: ({ role, parts }) => ({ role, parts: list(parts).filter(({ thought, text }) => !thought && text !== '') }),
    calls: (kept) =>
      kept
        .flatMap(({ parts }) => list(parts))
        .flatMap(({ functionCall: call }) => (call === undefined ? [] : [object(call)]))
        .map(({ id, name }) => ({ id: String(id), name: String(name) })),
    results: (calls) => [
      {
        role: 'user',
        parts: calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { result: '18 degrees' } } })),
      },
    ],
    said: (kept) =>
      kept
        .flatMap(({ parts }) => list(parts))
        .map(({ text = '', thought }) => (thought ? '' : text))
        .join(''),
  },
  strict: {
    models: ['gemini-3-pro-preview', 'gemini-2.5-pro'],
    path: /\/v1beta\/models\/([^:]+):(\w+)$/,
    write: (scene, body) => wire.write(scene, { headers: {}, body }).join(''),
    whole: (scene, body) => wire.whole(scene, { headers: {}, body }),
    pieces: signedCalls,
    steps: ({ contents }) => list(contents).flatMap(({ role, parts }) => (role === 'model' ? [marks(parts)] : [])),
    marks: (whole) => marks(partsOf(whole)),
    foreign: (mark, model) => (model.startsWith('gemini-3') ? mark + voucher : mark),
    complaint: (body) => {
      let open: string[] = [];
      for (const { parts } of list(body.contents)) {
        const results = list(parts).flatMap(({ functionResponse: result }) =>
          result === undefined ? [] : [object(result)],
        );
        if (results.some(({ name }) => !name)) return 'a response without a name';
        if (results.map(({ id }) => id).join() !== open.join()) return `responses where ${open} were called`;
        open = wire.look({ contents: [{ parts }] }).calls.map(({ id }) => id);
      }
      return undefined;
    },
  },
};
