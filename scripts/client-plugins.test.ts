import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { CLIENT_PLUGINS } from './client-plugins.ts';

const ROOT = join(import.meta.dir, '..');

/** Bundles a line of code with the plugins of the client build; gives its text or why it was refused. */
async function bundle(code: string): Promise<string> {
  const entry = join(ROOT, 'client', 'probe.ts');
  const result = await Bun.build({
    entrypoints: [entry],
    files: { [entry]: code },
    target: 'browser',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: CLIENT_PLUGINS,
    throw: false,
  });
  if (!result.success) return result.logs.map((log) => log.message).join('\n');
  return (await result.outputs[0]?.text()) ?? '';
}

test('the browser gets addresses of the contract, not schemas', async () => {
  const text = await bundle(`import { WIRE } from '#shared/contract/wire.ts'; globalThis.it = WIRE;`);
  expect(text).toContain('/api/auth/login');
  expect(text).not.toContain('ZodMini');
  expect(await bundle(`import { auth } from '#shared/contract/auth.ts'; globalThis.it = auth;`)).toContain(
    'client code imports',
  );
});

test('browser code may not reach for the server', async () => {
  expect(await bundle(`import { readFileSync } from 'node:fs'; globalThis.it = readFileSync;`)).toContain(
    'client code imports node:fs',
  );
});

test('only the path of an icon reaches the page', async () => {
  const text = await bundle(`import { iconOf } from '#client/ui/icons.ts'; globalThis.it = iconOf;`);
  expect(text).toContain('M4 5h16M4 12h16M4 19h16');
  expect(text).not.toContain('__iconData');
  expect(text).not.toContain('forwardRef');
});
