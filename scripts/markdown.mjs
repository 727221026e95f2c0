/** Reads what can be run out of Markdown, blocks of code and the requests of their `curl` lines, and writes its tables. */

/**
 * The fenced blocks of a text, in order.
 * @param {string} text
 * @returns {{ language: string, code: string }[]}
 */
export function codeBlocks(text) {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }));
}

/**
 * The requests of the `curl` commands in a shell block. Knows `-X`, `-H`, `-d`, `--json` and flags without a value.
 * @param {string} code
 */
export function curls(code) {
  const commands = code.replaceAll('\\\n', ' ').split('\n');
  return commands.filter((line) => /^\s*curl\s/.test(line)).map((line) => toRequest(wordsOf(line).slice(1)));
}

/**
 * A table of Markdown; its first row is the head.
 * @param {readonly (readonly string[])[]} rows
 */
export function table(rows) {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  /** @param {readonly string[]} cells */
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [head, rule, ...rows.slice(1)].map(line).join('\n');
}

/**
 * The words of a shell command whose quotes are plain: '...' or "..." without substitution.
 * @param {string} line
 */
function wordsOf(line) {
  const quoted = /'([^']*)'|"([^"]*)"|(\S+)/g;
  return [...line.matchAll(quoted)].map(([, single, double, bare]) => single ?? double ?? bare ?? '');
}

/** @param {readonly string[]} words */
function toRequest(words) {
  let url = '';
  /** @type {{ method?: string, headers: Record<string, string>, body?: string }} */
  const init = { headers: {} };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) url = word.includes('://') ? word : `http://${word}`;
    else if (word === '-X') init.method = words[++at] ?? '';
    else if (word === '-H') Object.assign(init.headers, header(words[++at] ?? ''));
    else if (word === '-d' || word === '--json') {
      init.body = words[++at] ?? '';
      init.method ??= 'POST';
      const type = word === '--json' ? 'application/json' : 'application/x-www-form-urlencoded';
      init.headers = { 'content-type': type, ...init.headers };
    }
  }
  return { url, init };
}

/** @param {string} text */
function header(text) {
  const colon = text.indexOf(':');
  return { [text.slice(0, colon).trim().toLowerCase()]: text.slice(colon + 1).trim() };
}
