import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breaksOf, readShape, shapeOf, writeShape } from '../../scripts/api-shape.ts';
import { openApiDocument } from '#server/http/openapi.ts';
import { ACCEPTED } from './api-changes.ts';

const released = readShape(readFileSync(join(import.meta.dir, 'released-api.txt'), 'utf8'));
const today = shapeOf(openApiDocument('1.0.0'));

describe('changes of the API since the last release', () => {
  test('nothing breaks a program that was written for the last release, but what is accepted with its reason', () => {
    expect(breaksOf(released, today).toSorted()).toEqual(Object.keys(ACCEPTED).toSorted());
  });

  test('what is kept of a release is all that was written, and the same as itself', () => {
    expect(released.size).toBeGreaterThan(500);
    expect(readShape(writeShape(today, '1.0.0'))).toEqual(new Map(today));
    expect(breaksOf(today, readShape(writeShape(today, '1.0.0')))).toEqual([]);
  });
});

const BEFORE = `POST /api/a a:write
  < path.id string
  < body.name string 1..32
  < body.kind "big"|"small"
  < body.note? string
  > id string
  > rows[].at null|string
  > kind "big"|"small"
GET /api/b -
`;
/** The breaks that replacing a text brings. */
const after = (from: string, to: string) => breaksOf(readShape(BEFORE), readShape(BEFORE.replace(from, to)));

describe('what counts as a breaking change', () => {
  test.each([
    ['a call that is gone', 'GET /api/b -\n', '', 'GET /api/b: is gone'],
    ['another scope', 'a:write', 'b:write', 'POST /api/a: takes the scope b:write, not a:write'],
    ['a new required field', '  > id', '  < body.size integer\n  > id', 'POST /api/a: asks for body.size'],
    ['a field that became required', 'body.note?', 'body.note', 'POST /api/a: asks for body.note'],
    ['a field that is taken no longer', '  < body.note? string\n', '', 'POST /api/a: takes no body.note any more'],
    ['a value that is taken no longer', '"big"|"small"', '"big"', 'POST /api/a: takes no "small" as body.kind'],
    ['another type taken', 'body.name string 1..32', 'body.name integer', 'POST /api/a: takes no string as body.name'],
    ['a smaller maximum', '1..32', '1..16', 'POST /api/a: takes body.name up to 16 only'],
    ['a greater minimum', '1..32', '3..32', 'POST /api/a: takes body.name from 3 only'],
    ['a field that is given no longer', '  > id string\n', '', 'POST /api/a: gives no id any more'],
    ['a field that may be missing now', '> id string', '> id? string', 'POST /api/a: may give no id'],
    ['another type given', '> id string', '> id integer', 'POST /api/a: may give integer as id'],
    ['null where there was none', '> id string', '> id null|string', 'POST /api/a: may give null as id'],
  ])('a comparison names %s as a breaking change', (_, from, to, expected) => {
    expect(after(from, to)).toEqual([expected]);
  });

  test.each([
    ['a new call', 'GET /api/b -', 'GET /api/c -\nGET /api/b -'],
    ['a new optional field', '  > id', '  < body.size? integer\n  > id'],
    ['a new optional object with required fields', '  > id', '  < body.of? object\n  < body.of.x integer\n  > id'],
    ['a new field of an answer', '  > id', '  > size integer\n  > id'],
    ['looser bounds', '1..32', '0..64'],
    ['a field that became optional', 'body.name string', 'body.name? string'],
    ['any text where there were two', 'body.kind "big"|"small"', 'body.kind string'],
    ['a new value in an answer', '> kind "big"|"small"', '> kind "big"|"huge"|"small"'],
    ['no null any more in an answer', 'null|string', 'string'],
    ['a call that tokens may use now', 'GET /api/b -', 'GET /api/b b:read'],
  ])('a comparison takes %s for a harmless change', (_, from, to) => {
    expect(after(from, to)).toEqual([]);
  });
});
