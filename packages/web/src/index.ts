/** The gateway for every host that speaks Request and Response. */
export * from '@streamglot/gateway';
