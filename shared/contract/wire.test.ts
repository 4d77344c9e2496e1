import { expect, test } from 'bun:test';
import { ENDPOINTS } from './index.ts';
import { WIRE } from './wire.ts';

test('the browser’s table has every endpoint: where it is, whether it has a body, whether it takes a key', () => {
  const rows = Object.entries(WIRE).flatMap(([group, endpoints]) =>
    Object.entries(endpoints).map(([name, row]) => ({ name: `${group}.${name}`, ...row })),
  );
  const facts = ({
    name,
    method,
    path,
    body,
    idempotent,
  }: {
    name: string;
    method: string;
    path: string;
    body?: unknown;
    idempotent?: boolean;
  }) => ({
    name,
    method,
    path,
    body: body !== undefined,
    idempotent: idempotent === true,
  });
  expect(rows.map(facts)).toEqual(ENDPOINTS.map(facts));
});

test('the table has no schemas: it is plain data, which the client build can write out', () => {
  expect(JSON.parse(JSON.stringify(WIRE))).toEqual(WIRE);
  expect(JSON.stringify(WIRE)).not.toMatch(/"(params|query|response|def|shape)":/);
});
