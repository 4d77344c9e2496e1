import { describe, expect, test } from 'bun:test';
import { CONFIG_PARSERS, type ConfigParser, type ConfigSetting } from '#shared/config-files.ts';
import { setIn } from './settings.ts';

const given = (settings: Record<string, string | boolean | Record<string, string>>): ConfigSetting[] =>
  Object.entries(settings).flatMap(([key, value]): ConfigSetting[] =>
    typeof value === 'object'
      ? Object.entries(value).map(([was, to]) => ({ key, value: to, was }))
      : [{ key, value, was: null }],
  );
const set = (parser: ConfigParser, text: string, settings: Parameters<typeof given>[0]) =>
  setIn(parser, text, given(settings));

describe('settings of configuration files', () => {
  test('properties keep comments, order, spaces and other lines, and get what they lack at their end', () => {
    const text =
      '#Minecraft server properties\n!old\nmotd=A \\\n   server\n\nserver-port = 1\nlevel\\:name: w\nempty\nserver-port=2\n';
    expect(
      set('properties', text, {
        'server-port': '25565',
        motd: 'Größe: 1\\2\nnext',
        'level:name': ' x',
        'query.port': '7',
        empty: 'no',
      }),
    ).toBe(
      '#Minecraft server properties\n!old\nmotd=Gr\\u00f6\\u00dfe: 1\\\\2\\nnext\n\nserver-port = 25565\nlevel\\:name: \\ x\nempty=no\nserver-port=25565\nquery.port=7\n',
    );
    expect(set('properties', '', { a: '1' })).toBe('a=1\n');
    // What is there already in other words is left alone, and a comment that ends in a backslash is one line.
    expect(set('properties', 'a=\\u0031\n#x\\\nb=2\n', { a: '1', b: '3' })).toBe('a=\\u0031\n#x\\\nb=3\n');
    expect(set('properties', 'a=1\r\nb=2', { b: '3', c: '4' })).toBe('a=1\r\nb=3\r\nc=4\r\n');
  });

  test('files in sections keep comments and order, and get a section where there is none', () => {
    const text = '; top\nname=1\n\n[Server]\n# port\nPort = 1 \n  Max: 2\n\n[Other]\nPort=9\n';
    expect(
      set('ini', text, {
        name: 'x',
        'Server.Port': '25565',
        'Server.Max': '8',
        'Server.New': 'a\nb',
        'Third.Key.Dot': '1',
      }),
    ).toBe(
      '; top\nname=x\n\n[Server]\n# port\nPort = 25565\n  Max: 8\nNew=a b\n\n[Other]\nPort=9\n\n[Third]\nKey.Dot=1\n',
    );
    expect(set('ini', '[/Script/Engine.Game]\nA=1\n', { '[/Script/Engine.Game].A': '2' })).toBe(
      '[/Script/Engine.Game]\nA=2\n',
    );
    expect(set('ini', '', { 'a.b': '1', top: '2' })).toBe('top=2\n[a]\nb=1\n');
  });

  test('JSON keeps comments, order, indentation and long numbers, and takes paths with lists and wildcards', () => {
    const text =
      '{\n\t// who\n\t"id": 123456789012345678901,\n\t"port": 1,\n\t"list": [{ "host": "x" }],\n\t"servers": {\n\t\t"a": { "address": "localhost:1", "on": false },\n\t\t"b": { "address": "example.com" }\n\t},\n\t"last": null\n}\n';
    expect(
      set('json', text, {
        port: '25565',
        'servers.*.address': { 'regex:^(localhost|127\\.0\\.0\\.1)(:\\d{1,5})?$': '10.0.0.1$2' },
        'servers.a.on': true,
        'list[0].host': '0.0.0.0:1',
        'new.deep': 'text',
        port2: { '1': '2' },
      }),
    ).toBe(
      '{\n\t// who\n\t"id": 123456789012345678901,\n\t"port": 25565,\n\t"list": [{ "host": "0.0.0.0:1" }],\n\t"servers": {\n\t\t"a": { "address": "10.0.0.1:1", "on": true },\n\t\t"b": { "address": "example.com" }\n\t},\n\t"last": null,\n\t"new": {\n\t\t"deep": "text"\n\t}\n}\n',
    );
    expect(set('json', '', { 'a.b': '1', 'l[0].x': 'y' })).toBe(
      '{\n    "a": {\n        "b": 1\n    },\n    "l": [\n        {\n            "x": "y"\n        }\n    ]\n}',
    );
    expect(set('json', '{}', { '__proto__.polluted': 'yes' })).toContain('"__proto__"');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('YAML keeps comments and order, and takes paths with lists, wildcards and names that are numbers', () => {
    const text =
      '# top\nlisteners:\n  # first\n  - host: 0.0.0.0:1 # where\n    max: 5\nservers:\n  lobby:\n    address: localhost:25565\n  7:\n    address: "127.0.0.1"\nid: 123456789012345678901\nlong: "a b"\n';
    expect(
      set('yaml', text, {
        'listeners[0].host': '0.0.0.0:25570',
        'listeners[0].max': '20',
        'servers.*.address': { 'regex:^(localhost|127\\.0\\.0\\.1)(:\\d{1,5})?$': '10.0.0.1${2}' },
        'servers.7.new': true,
        long: '12',
        'deep.er': '1',
      }),
    ).toBe(
      '# top\nlisteners:\n  # first\n  - host: 0.0.0.0:25570 # where\n    max: 20\nservers:\n  lobby:\n    address: 10.0.0.1:25565\n  7:\n    address: "10.0.0.1"\n    new: true\nid: 123456789012345678901\nlong: 12\ndeep:\n  er: 1\n',
    );
    expect(set('yaml', '', { 'a.b': 'x' })).toBe('a:\n  b: x\n');
    expect(set('yaml', '# only a comment\n', { a: '1' })).toBe('# only a comment\n\na: 1\n');
    // What is set already leaves the file as it is, byte by byte.
    expect(set('yaml', 'a:    1   # x\n', { a: '1' })).toBe('a:    1   # x\n');
  });

  test('XML keeps comments and order, and takes attributes, places and wildcards', () => {
    const text =
      '<?xml version="1.0"?>\n<!-- top -->\n<ServerSettings>\n  <!-- port -->\n  <property name="ServerPort" value="1"/>\n  <property name="Other" value="x"/>\n  <Max>5</Max>\n  <Group><Max>1</Max></Group>\n</ServerSettings>\n';
    expect(
      set('xml', text, {
        "ServerSettings.property[@name='ServerPort']": "[value='25565']",
        'ServerSettings.Max': '<8> & "9"',
        'ServerSettings.*.Max': '2',
        'ServerSettings.property[2]': "[value='y']",
        "ServerSettings.property[@name='New']": "[value='z']",
      }),
    ).toBe(
      '<?xml version="1.0"?>\n<!-- top -->\n<ServerSettings>\n  <!-- port -->\n  <property name="ServerPort" value="25565"/>\n  <property name="Other" value="y"/>\n  <Max>&lt;8&gt; &amp; "9"</Max>\n  <Group><Max>2</Max></Group>\n  <property name="New" value="z"/>\n</ServerSettings>\n',
    );
    expect(set('xml', '', { 'Root.A.B': '1' })).toContain('<Root><A><B>1</B></A></Root>');
  });

  test('lines that begin with a key become its value, and nothing is added', () => {
    const text = 'set port 1\n  set port 2\nother\n';
    expect(set('file', text, { 'set port': 'set port 25565', missing: 'x' })).toBe(
      'set port 25565\n  set port 2\nother\n',
    );
    expect(set('file', '', { a: 'b' })).toBe('');
  });

  test('a broken file is left as it is, whatever it is', () => {
    const bomb = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>';
    const broken: [ConfigParser, string][] = [
      ['json', '{"a": '],
      ['json', '"text"'],
      ['json', '{"port": 1} x'],
      ['json', '['.repeat(20_000)],
      ['yaml', 'a: [1'],
      ['yaml', 'just a text'],
      ['yaml', 'a: 1\n---\na: 2\n'],
      ['yaml', '['.repeat(20_000)],
      ['xml', '<port><'],
      ['xml', '<a></b>'],
      ['xml', '<other/>'],
      ['xml', bomb],
    ];
    for (const [parser, text] of broken)
      expect([parser, text.slice(0, 20), set(parser, text, { port: '1' })]).toEqual([parser, text.slice(0, 20), null]);
    // A text where the path goes on is not thrown away.
    for (const [parser, text] of [
      ['json', '{"port": 5}'],
      ['yaml', 'port: 5\n'],
    ] as const)
      expect(set(parser, text, { 'port.deep': '1' })).toBeNull();
  });

  test('a mark at the beginning of a file stays, and no settings change nothing', () => {
    expect(set('json', '\u{feff}{"a":1}', { a: '2' })).toBe('\u{feff}{"a":2}');
    const texts = {
      properties: 'a = 1\n',
      ini: '[a]\nb = 1\n',
      json: '{ "a":1 }',
      yaml: 'a:   1',
      xml: '<a  b="1" />',
      file: 'a\n',
    };
    for (const parser of CONFIG_PARSERS) expect(set(parser, texts[parser], {})).toBe(texts[parser]);
  });

  test('N24 patterns are those of an engine that never goes back, in which none takes exponential time', () => {
    // Only an engine that goes back knows these, so to ours they are no patterns.
    for (const pattern of [String.raw`(a)\1`, 'a(?=a)', '(?<=a)a', '(?>a)a'])
      expect(set('json', '{"a":"aa"}', { a: { [`regex:${pattern}`]: 'x' } })).toBeNull();
    expect(set('json', JSON.stringify({ a: `${'a'.repeat(5000)}!` }), { a: { 'regex:^(a+)+$': 'x' } })).toContain(
      'aaa!',
    );
  });
});
