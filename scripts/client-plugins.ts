import type { BunPlugin } from 'bun';
import { START } from '../shared/contract/wire-start.ts';
import { WIRE } from '../shared/contract/wire.ts';
import { AREA_ROUTES } from '../shared/routes/area-routes.ts';

/**
 * Fails the build when browser code reaches for the server (architecture, section 2, wall b), or for the schemas that
 * answers are checked with: they belong to the server, and would be 20 KB more on every page.
 */
const wall: BunPlugin = {
  name: 'client-wall',
  setup(build) {
    build.onResolve({ filter: /^(#server\/|bun(:|$)|node:)/ }, ({ path, importer }) => {
      throw new Error(`client code imports ${path} (in ${importer})`);
    });
    build.onLoad({ filter: /\/shared\/contract\/(?!(client|wire|wire-start)\.ts$)[\w-]+\.ts$/ }, ({ path }) => {
      throw new Error(`client code imports ${path}; of the contract it may have client.ts, wire.ts and wire-start.ts`);
    });
  },
};

/** Puts in what is known when building: of the contract its addresses, of the admin areas their routes. */
const precomputed: BunPlugin = {
  name: 'precomputed',
  setup(build) {
    build.onLoad({ filter: /\/shared\/contract\/wire\.ts$/ }, () => ({
      contents: `export const WIRE = ${JSON.stringify(WIRE)};`,
      loader: 'js',
    }));
    build.onLoad({ filter: /\/shared\/routes\/area-routes\.ts$/ }, () => ({
      contents: `export const AREA_ROUTES = ${JSON.stringify(AREA_ROUTES)};`,
      loader: 'js',
    }));
    build.onLoad({ filter: /\/shared\/contract\/wire-start\.ts$/ }, () => ({
      contents: `export const START = ${JSON.stringify(START)};`,
      loader: 'js',
    }));
  },
};

/** A module of the router that is replaced, and what stays of it. */
export interface StandIn {
  readonly path: string;
  readonly kept: string;
}

/**
 * Modules of the router for what this product does not use: instrumentation, and the tags and prefetching of its
 * framework mode. What data mode calls of them does here what it does there without a framework around: nothing. About
 * 4 KB of every page.
 */
export const STAND_INS: readonly StandIn[] = [
  {
    path: 'lib/router/instrumentation.js',
    kept: 'export const consumeInstrumentationClientResultMetaReceiver = () => undefined;',
  },
  {
    path: 'lib/dom/ssr/components.js',
    kept: `import { createContext } from 'react';
export const FrameworkContext = createContext(undefined);
export const usePrefetchBehavior = () => [false, null, {}];
export const mergeRefs = (...refs) => (value) => {
  for (const ref of refs) {
    if (typeof ref === 'function') ref(value);
    else if (ref != null) ref.current = value;
  }
};`,
  },
];

/**
 * The text of a stand-in: what is kept, and for every other name that the module exports a function that says what is
 * missing.
 */
export function standInText({ path, kept }: StandIn, names: readonly string[]): string {
  const missing = names.filter((name) => !new RegExp(`export const ${name}\\b`).test(kept));
  return [
    kept,
    ...missing.map(
      (name) =>
        `export const ${name} = () => { throw new Error('${name}: ${path} is left out of the client build'); };`,
    ),
  ].join('\n');
}

const lighterRouter: BunPlugin = {
  name: 'lighter-router',
  setup(build) {
    for (const standIn of STAND_INS) {
      const filter = new RegExp(`/react-router/dist/production/${standIn.path.replaceAll('.', '\\.')}$`);
      build.onLoad({ filter }, async ({ path }) => ({
        contents: standInText(standIn, Object.keys((await import(path)) as object)),
        loader: 'js',
      }));
    }
  },
};

/** What the client build does beyond bundling. */
export const CLIENT_PLUGINS: BunPlugin[] = [wall, precomputed, lighterRouter];
