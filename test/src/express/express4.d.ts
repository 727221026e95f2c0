/** Express 4, under a name of its own, has the shape of Express 5 as far as these tests go. */
declare module 'express4' {
  export { default } from 'express';
}
