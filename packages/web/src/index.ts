/** The gateway for every host that speaks Request and Response. */
export * from '@streamglot/gateway';
export { createGateway, type Given, notFound, type WebGateway } from './gateway.ts';
