import { expect, test } from 'bun:test';
import { fillConfigFiles } from './config-values.ts';
import { specSchema } from './store.ts';

const spec = specSchema.parse({
  id: '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c07',
  revision: 1,
  installation: 1,
  recipe: 'java-app',
  memory: 1024,
  disk: 2048,
  cpu: 150,
  ports: [25_565, 25_566],
  suspended: false,
  environment: { MOTD: 'hi {{server.build.memory}}', SERVER_PORT: '1' },
});
const filled = (value: string | boolean) =>
  fillConfigFiles([{ path: 'a', parser: 'file', settings: [{ key: 'k', value, was: null }] }], spec, 2)[0]?.settings[0]
    ?.value;

test('placeholders of settings are filled in by the names of both panels', () => {
  const cases: [string | boolean, string | boolean][] = [
    ['{{server.build.default.ip}}:{{ server.build.default.port }}', '0.0.0.0:25565'],
    ['{{server.allocations.default.port}}', '25565'],
    ['{{server.build.memory}} {{server.build.memory_limit}} {{server.build.disk}}', '1024 1024 2048'],
    ['{{config.docker.interface}}', '10.233.0.9'],
    ['{{server.uuid}}', spec.id],
    // A variable is a value: what is in it is not looked at again, and none takes the place of what a server is given.
    ['{{server.build.env.MOTD}}', 'hi {{server.build.memory}}'],
    ['{{env.SERVER_PORT}}', '25565'],
    ['{{env.NONE}}', ''],
    ['{{constructor}} {{server.build.nothing}}', '{{constructor}} {{server.build.nothing}}'],
    [true, true],
  ];
  for (const [value, wanted] of cases) expect([value, filled(value)]).toEqual([value, wanted]);
  expect(String(filled('{{env.MOTD}}'.repeat(200))).length).toBe(2000);
});

test('N24 no file of settings lies outside of the folder of its server, or is more than the node takes', () => {
  const fits = (files: unknown) => specSchema.safeParse({ ...spec, configFiles: files }).success;
  const setting = { key: 'k', value: 'v', was: null };
  const at = (path: string, settings: unknown = [setting]) => [{ path, parser: 'ini', settings }];
  expect(fits(at('a/b.ini'))).toBe(true);
  for (const path of ['../a', '/etc/passwd', 'a/../../b', './a', '', '.spawnpoint/bin/x', 'a\0b'])
    expect([path, fits(at(path))]).toEqual([path, false]);
  expect(
    fits(
      at(
        'a',
        Array.from({ length: 201 }, () => setting),
      ),
    ),
  ).toBe(false);
  expect(fits(at('a', [{ ...setting, value: 'x'.repeat(2001) }]))).toBe(false);
  expect(
    fits(
      at(
        'a',
        Array.from({ length: 100 }, () => ({ ...setting, value: 'x'.repeat(1999) })),
      ),
    ),
  ).toBe(false);
  expect(fits([{ path: 'a', parser: 'evil', settings: [] }])).toBe(false);
});
