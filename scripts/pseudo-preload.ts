import { pseudoLocale } from './pseudo-locale.ts';

/** Loaded before the server in development: the pseudo language then stands among the others. */
await Bun.plugin(pseudoLocale);
