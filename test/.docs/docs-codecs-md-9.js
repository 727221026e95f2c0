import { reader } from '@streamglot/core/messages';

/**
 * Shows an answer as it arrives.
 * @param {Response} response
 * @param {(text: string) => void} show
 */
export async function read(response, show) {
  const answer = reader({ status: response.status });
  const body = response.body?.getReader();
  for (;;) {
    const chunk = await body?.read().catch(() => undefined);
    const frames = chunk?.value ? answer.push(chunk.value) : answer.end(chunk ? 'closed' : 'reset');
    for (const event of frames.flat()) {
      if (event.type === 'block-delta' && event.delta.type === 'text') show(event.delta.text);
      if (event.type === 'error') throw new Error(event.error.message);
    }
    if (!chunk?.value) return;
  }
}
