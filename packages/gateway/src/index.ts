/** The gateway without a host: routes, configuration, exchanges, and what observers are told. */
export type { Authorize, AuthorizeRequest } from './authorize.ts';
export type { Client, GatewayRequest } from './client.ts';
export type * from './config.ts';
export { badBody, bodyTooLarge, ConfigError, Refusal, wrongContentEncoding } from './error.ts';
export { createGateway, type Gateway, type ShutdownOptions } from './gateway.ts';
export type * from './observe.ts';
export { type Route, within } from './routes.ts';
export { defineConfig } from './schema.ts';
export { type MemoryLimits, memoryStore } from './store/memory.ts';
export type * from './store/store.ts';
export type { ReasoningSummary } from './summary.ts';
