import { expect, test } from 'bun:test';
import { ENDPOINTS } from './index.ts';
import { SESSION_WIRE } from './wire-session.ts';
import { STAFF_WIRE } from './wire-staff.ts';
import { WIRE } from './wire.ts';

const ALL = { ...SESSION_WIRE, ...WIRE, ...STAFF_WIRE };

test('the browser’s tables have every endpoint that pages call: where it is, whether it has a body, whether it takes a key', () => {
  const rows = Object.entries(ALL).flatMap(([group, endpoints]) =>
    Object.entries(endpoints).map(([name, row]) => ({ name: `${group}.${name}`, ...row })),
  );
  const facts = ({
    name,
    method = 'GET',
    path,
    body,
    idempotent,
  }: {
    name: string;
    method?: string;
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
  const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);
  const called = ENDPOINTS.filter(({ hook }) => !hook);
  expect(rows.map(facts).toSorted(byName)).toEqual(called.map(facts).toSorted(byName));
});

test('what is under /api/admin is in the table for staff, and nothing else', () => {
  const isStaffs = ({ path }: { path: string }) => path.startsWith('/api/admin');
  expect(Object.values(STAFF_WIRE).flatMap((group) => Object.values(group).filter((row) => !isStaffs(row)))).toEqual(
    [],
  );
  expect(Object.values(WIRE).flatMap((group) => Object.values(group).filter(isStaffs))).toEqual([]);
});

test('the tables have no schemas and no texts of the reference: they are plain data, which the client build can write out', () => {
  expect(JSON.parse(JSON.stringify(ALL))).toEqual(ALL);
  expect(JSON.stringify(ALL)).not.toMatch(/"(params|query|response|def|shape)":|"(summary|description)":"/);
});
