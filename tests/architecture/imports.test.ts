import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Glob } from 'bun';
import { MODULE_GRAPH } from '#server/modules/graph.ts';
import { cyclesOf, importsOf } from '#tests/support/imports.ts';
import { readSources } from '#tests/support/sources.ts';

// Every file is walked, which takes its time on a busy machine.
setDefaultTimeout(300_000);

const ROOT = join(import.meta.dir, '../..');

/**
 * Who may import whom (architecture, section 2): a file's folder → what it may import besides its own folder. First
 * match counts.
 */
const RULES: readonly { from: RegExp; may: readonly RegExp[] }[] = [
  // The engine of egg patterns, which pages load only when they need it.
  { from: /^shared\/egg-matcher\.ts$/, may: [/^shared\//, PACKAGES('re2js')] },
  { from: /^shared\//, may: [/^shared\//, /^locales\//, /^zod(\/mini)?$/] },
  {
    from: /^client\/lib\//,
    may: [
      /^client\/lib\//,
      /^shared\//,
      /^locales\//,
      PACKAGES('react', 'react-router', 'i18next', 'react-i18next', '@simplewebauthn/browser', 'zod'),
    ],
  },
  {
    from: /^client\/ui\//,
    may: [
      /^client\/(ui|lib)\//,
      /^shared\//,
      PACKAGES('react', 'react-dom', 'react-router', 'lucide-react', 'qr', 'zod', 'skinview3d', 'd3-scale', 'd3-shape'),
    ],
  },
  {
    from: /^client\/resource\//,
    may: [/^client\/(ui|lib|resource)\//, /^shared\//, PACKAGES('react', 'react-router', 'zod')],
  },
  {
    from: /^client\/features\//,
    may: [
      /^client\/(ui|lib|resource|features)\//,
      /^shared\//,
      PACKAGES('react', 'react-router', 'zod', 'skinview3d', 'qr', '@codemirror', '@lezer'),
    ],
  },
  {
    from: /^client\//,
    may: [/^client\//, /^shared\//, PACKAGES('react', 'react-dom', 'react-router', 'i18next', 'zod')],
  },
  { from: /^server\/modules\//, may: [/^server\/modules\//, /^shared\//, /^zod(\/mini)?$/] },
  {
    from: /^server\/data\//,
    may: [
      /^server\/data\//,
      /^server\/modules\//,
      /^server\/low-priority\.ts$/,
      /^shared\//,
      /^(node|bun):|^bun$/,
      PACKAGES('kysely', 'kysely-postgres-js', 'zod'),
    ],
  },
  {
    from: /^server\/api\//,
    may: [
      /^server\/api\//,
      /^server\/modules\//,
      /^server\/http\/implement(\.types)?\.ts$/,
      /^shared\//,
      /^zod(\/mini)?$/,
    ],
  },
  {
    from: /^server\/http\//,
    may: [
      /^server\/(http|logs)\//,
      /^server\/modules\/kernel\.ts$/,
      /^server\/env\.ts$/,
      /^shared\//,
      /^node:(events|zlib)$/,
      PACKAGES('hono', '@hono/zod-validator', 'ipaddr.js', 'zod'),
    ],
  },
  {
    from: /^server\/ssr\//,
    may: [
      /^server\/ssr\//,
      /^server\/http\//,
      /^client\//,
      /^shared\//,
      /^node:/,
      PACKAGES('react', 'react-dom', 'react-router', 'isbot'),
    ],
  },
  { from: /^server\/sdk\//, may: [/^server\/sdk\//] },
  {
    from: /^server\/payments\//,
    may: [/^server\/payments\//, /^server\/modules\//, /^shared\//, PACKAGES('stripe', 'zod')],
  },
  {
    from: /^server\/plugins\//,
    may: [
      /^server\/(plugins|modules)\//,
      /^shared\//,
      /^node:/,
      PACKAGES('fflate', '@jitl/quickjs-singlefile-mjs-release-sync', 'quickjs-emscripten-core', 'zod'),
    ],
  },
  { from: /^server\/logs\//, may: [/^server\/logs\//, /^shared\//, /^node:/] },
  { from: /^server\/receipts\//, may: [/^server\/receipts\//, /^shared\//, /^locales\//, PACKAGES('pdfkit')] },
  {
    from: /^server\/images\//,
    may: [/^server\/images\//, /^server\/modules\//, /^shared\//, /^node:/, PACKAGES('fast-png', 'zod')],
  },
  { from: /^server\/uploads\//, may: [/^server\/uploads\//, /^server\/modules\//, /^shared\//, /^node:/] },
  {
    from: /^server\/abuse\//,
    may: [/^server\/(abuse|modules)\//, /^shared\//, /^(node|bun):|^bun$/, PACKAGES('altcha-lib', 'ipaddr.js', 'zod')],
  },
  {
    from: /^server\/backups\//,
    may: [
      /^server\/(backups|data\/backup)\//,
      /^server\/modules\//,
      /^server\/(own-commands|part-file|version)\.ts$/,
      /^shared\//,
      /^(node|bun):|^bun$/,
      PACKAGES('age-encryption', 'aws4fetch', '@scure/base', 'zod'),
    ],
  },
  {
    from: /^server\/identity-providers\//,
    may: [
      /^server\/(identity-providers|modules)\//,
      /^server\/low-priority\.ts$/,
      /^shared\//,
      PACKAGES('otpauth', 'openid-client', '@simplewebauthn/server', 'reflect-metadata', 'zod'),
    ],
  },
  {
    from: /^server\/(panel|mail|jobs|crypto)(\/|\.ts)/,
    may: [
      /^server\/(panel|mail|jobs|redis)\//,
      /^server\/modules\//,
      /^shared\//,
      /^locales\//,
      /^(node|bun):|^bun$/,
      PACKAGES('croner', 'email-reply-parser', 'imapflow', 'nodemailer', 'postal-mime', 'zod'),
    ],
  },
  {
    from: /^server\/imports\//,
    may: [
      /^server\/(imports|modules)\//,
      /^server\/(own-commands|part-file)\.ts$/,
      /^shared\//,
      /^(node|bun):|^bun$/,
      PACKAGES('@noble/ciphers', 'zod'),
    ],
  },
  {
    from: /^server\/push\//,
    may: [
      /^server\/(push|modules)\//,
      /^server\/outbound\.ts$/,
      /^shared\//,
      PACKAGES('@block65/webcrypto-web-push', 'zod'),
    ],
  },
  {
    from: /^server\/node\/file-manager\/program\/settings\//,
    may: [
      /^server\/node\/file-manager\/program\/settings\//,
      /^shared\/config-files\.ts$/,
      PACKAGES('@xmldom/xmldom', 'jsonc-parser', 're2js', 'yaml'),
    ],
  },
  {
    from: /^server\/node\/file-manager\/program\//,
    may: [/^server\/node\/file-manager\//, /^shared\//, /^node:/, PACKAGES('fflate', 'yauzl')],
  },
  { from: /^server\/addresses\.ts$/, may: [/^server\/modules\//, PACKAGES('ipaddr.js')] },
  {
    from: /^server\/node\//,
    may: [/^server\//, /^shared\//, /^(node|bun):|^bun$/, PACKAGES('fflate', 'zod')],
  },
  {
    from: /^server\//,
    may: [/^server\//, /^shared\//, /^locales\//, /^package\.json$/, /^(node|bun):|^bun$/, PACKAGES('zod')],
  },
];

function PACKAGES(...names: string[]): RegExp {
  return new RegExp(`^(${names.map((name) => name.replace('.', '\\.')).join('|')})(/|$)`);
}

/** Every import of the product's own files, types included; tests are free to import anything. */
const all = importsOf(readSources(['{server,client,shared}/**/*.{ts,tsx}']));
const byLength = Object.keys(MODULE_GRAPH).toSorted((a, b) => b.length - a.length);
const moduleOf = (path: string) => {
  const rest = /^server\/modules\/(.+)$/.exec(path)?.[1] ?? '';
  return byLength.find((name) => rest.startsWith(`${name}/`)) ?? /^(rewards\/[a-z\d-]+)\//.exec(rest)?.[1] ?? null;
};
/** The row that ways to earn without a row of their own share: each of its edges is there, and they have no others. */
const SHARED_ROW = 'rewards/*';
const rowOf = (name: string) => (name.startsWith('rewards/') && !(name in MODULE_GRAPH) ? SHARED_ROW : name);
/** What every module may use; these use none. */
const FOR_ALL = new Set(['audit', 'idempotency', 'jobs']);

describe('imports', () => {
  test('there are imports to test', () => expect(all.length).toBeGreaterThan(200));

  test('every import goes in an allowed direction', () => {
    const wrong = all.filter(({ from, to }) => {
      const rule = RULES.find((each) => each.from.test(from));
      return rule && !rule.may.some((allowed) => allowed.test(to));
    });
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test('no feature imports another', () => {
    const feature = (path: string) => /^client\/features\/(admin\/[^/]+|[^/]+)\//.exec(path)?.[1] ?? null;
    const wrong = all.filter(
      ({ from, to }) =>
        feature(from) !== null &&
        feature(to) !== null &&
        feature(from) !== feature(to) &&
        !feature(to)?.startsWith('admin/parts'),
    );
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test('the server reaches into the client only for rendering', () => {
    expect(
      all
        .filter(
          ({ from, to }) => from.startsWith('server/') && !from.startsWith('server/ssr/') && to.startsWith('client/'),
        )
        .map(({ from }) => from),
    ).toEqual([]);
  });

  test('modules use each other only through their index or their ports', () => {
    const wrong = all.filter(({ from, to }) => {
      const [a, b] = [moduleOf(from), moduleOf(to)];
      return a !== null && b !== null && a !== b && !/\/(index|ports|[a-z-]+-ports?)\.ts$/.test(to);
    });
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test('the graph of modules names every module and exactly the edges that there are', () => {
    const used = new Map<string, Set<string>>();
    for (const { from, to } of all) {
      if (from === 'server/modules/tx.ts') continue;
      const [a, b] = [moduleOf(from), moduleOf(to)];
      if (from.startsWith('server/modules/') && from.split('/').length > 3) expect([from, a]).not.toEqual([from, null]);
      if (a === null) continue;
      const own = used.getOrInsertComputed(rowOf(a), () => new Set());
      if (b !== null && a !== b && !FOR_ALL.has(b)) own.add(b);
    }
    const sorted = (of: Iterable<readonly [string, Iterable<string>]>) =>
      Object.fromEntries([...of].map(([name, names]) => [name, [...names].toSorted()]));
    expect(sorted(Object.entries(MODULE_GRAPH))).toEqual(sorted(used));
    for (const name of FOR_ALL) expect([name, ...(MODULE_GRAPH[name] ?? [])]).toEqual([name]);
  });

  test('no files import each other by value in a circle', () => {
    expect(cyclesOf(all.filter(({ typeOnly }) => !typeOnly))).toEqual([]);
  });

  test('no files of different folders import each other in a circle, not even by type', () => {
    const across = cyclesOf(all).filter((files) => new Set(files.map((file) => dirname(file))).size > 1);
    expect(across).toEqual([]);
  });

  test('a server starts without the libraries of what few servers do: they are loaded when it is done', () => {
    const atOnce = Map.groupBy(
      all.filter(({ typeOnly, isLate }) => !typeOnly && !isLate),
      ({ from }) => from,
    );
    const reached = new Set(['server/cli/serve.ts']);
    for (const file of reached) for (const { to } of atOnce.get(file) ?? []) reached.add(to);
    expect(reached).toContain('hono/router/trie-router');
    for (const library of ['@simplewebauthn/server', 'imapflow', 'pdfkit', 'postal-mime']) {
      expect(all.some(({ to }) => to === library)).toBe(true);
      expect(reached).not.toContain(library);
    }
  });

  test('the graph of modules has no cycle', () => {
    const visit = (name: string, trail: readonly string[]): void => {
      expect(trail).not.toContain(name);
      for (const next of MODULE_GRAPH[name] ?? []) visit(next, [...trail, name]);
    };
    for (const name of Object.keys(MODULE_GRAPH)) visit(name, []);
  });

  test('business code takes time, chance and the environment as parameters', () => {
    const wrong: string[] = [];
    for (const path of new Glob('server/modules/**/*.ts').scanSync(ROOT)) {
      if (path.endsWith('.test.ts')) continue;
      const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      if (/Date\.now\(|new Date\(\)|Math\.random\(|process\.env|\bBun\.|\bfetch\(|crypto\./.test(text))
        wrong.push(path);
    }
    expect(wrong).toEqual([]);
  });

  test('only the environment module reads the environment', () => {
    const wrong: string[] = [];
    for (const path of new Glob('{server,client,shared}/**/*.{ts,tsx}').scanSync(ROOT)) {
      // The reference of the API shows programs of others, which read theirs.
      if (/\.test\.tsx?$/.test(path) || /^server\/(env|cli\/|ssr\/api-docs\/)/.test(path)) continue;
      if (/process\.env/.test(readFileSync(join(ROOT, path), 'utf8'))) wrong.push(path);
    }
    expect(wrong).toEqual([]);
  });
});
