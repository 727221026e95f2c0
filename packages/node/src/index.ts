/** The gateway for Node's servers. */
export * from '@streamglot/gateway';
export { type Given, type NodeHandler, nodeHandler, notFound, prefixOf } from './handler.ts';
export type { HostRequest, HostResponse } from './host.ts';
