import type { BunPlugin } from 'bun';
import { SESSION_WIRE } from '../shared/contract/wire-session.ts';
import { STAFF_WIRE } from '../shared/contract/wire-staff.ts';
import { WIRE } from '../shared/contract/wire.ts';
import { RESOURCES } from '../shared/resources/index.ts';
import type { AreaFacts } from '../shared/routes/area-rows.ts';

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
    build.onLoad(
      { filter: /\/shared\/contract\/(?!(client|wire|wire-session|wire-staff)\.ts$)[\w-]+\.ts$/ },
      ({ path }) => {
        throw new Error(`client code imports ${path}; of the contract it may have client.ts and the tables, wire*.ts`);
      },
    );
  },
};

const areaFacts = (): AreaFacts[] =>
  Object.values(RESOURCES).map(({ area, path, permission, nav, operations }) => ({
    area,
    path,
    permission,
    nav,
    operations,
  }));

/** Puts in what is known when building: of the contract its addresses, of the admin areas what their routes need. */
const precomputed: BunPlugin = {
  name: 'precomputed',
  setup(build) {
    build.onLoad({ filter: /\/shared\/contract\/wire-session\.ts$/ }, () => ({
      contents: `export const SESSION_WIRE = ${JSON.stringify(SESSION_WIRE)};`,
      loader: 'js',
    }));
    build.onLoad({ filter: /\/shared\/contract\/wire\.ts$/ }, () => ({
      contents: `export const WIRE = ${JSON.stringify(WIRE)};`,
      loader: 'js',
    }));
    build.onLoad({ filter: /\/shared\/contract\/wire-staff\.ts$/ }, () => ({
      contents: `export const STAFF_WIRE = ${JSON.stringify(STAFF_WIRE)};`,
      loader: 'js',
    }));
    build.onLoad({ filter: /\/shared\/routes\/area-routes\.ts$/ }, () => ({
      contents: `import { routesOf } from './area-rows.ts'; export const AREA_ROUTES = Object.assign({}, ...${JSON.stringify(areaFacts())}.map(routesOf));`,
      loader: 'js',
    }));
  },
};

/** What the client build does beyond bundling. */
export const CLIENT_PLUGINS: BunPlugin[] = [wall, precomputed];
