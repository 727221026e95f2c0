/** Upstreams for Streamglot: the APIs that answer, and one that needs neither network nor key. */
export {
  type AnthropicKey,
  type AnthropicOptions,
  type AnthropicSettings,
  type AnthropicVersion,
  anthropic,
} from './anthropic.ts';
export { type CompatibleOptions, compatible, type Habits } from './compatible.ts';
export { type GeminiDialect, type GeminiKey, type GeminiOptions, type GeminiSettings, gemini } from './gemini.ts';
export type { HttpOptions, Timeouts } from './http.ts';
export { type OpenAIDialect, type OpenAIOptions, openai } from './openai.ts';
export { type ReplayOptions, replay, type Script, type ScriptedCall } from './replay/index.ts';
export type { Fetch } from './transport/fetch.ts';
