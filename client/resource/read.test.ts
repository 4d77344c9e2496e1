import { describe, expect, test } from 'bun:test';
import { eggs } from '#shared/resources/eggs.ts';
import { RESOURCES } from '#shared/resources/index.ts';
import { redeemCodes } from '#shared/resources/redeem-codes.ts';
import { boundsOf, readResource } from './read.ts';

const form = (values: Readonly<Record<string, string>>): FormData => {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) data.set(name, value);
  return data;
};

describe('bounds', () => {
  test('bounds of a field come from the schema', () => {
    expect(boundsOf(eggs.create, 'min_memory')).toEqual({ min: 256, max: 1_048_576 });
    expect(boundsOf(eggs.create, 'name')).toEqual({ min: 1, max: 60 });
    expect(boundsOf(redeemCodes.create, 'note')).toEqual({ min: 0, max: 120 });
    expect(boundsOf(redeemCodes.create, 'starts_at')).toEqual({ min: undefined, max: 40 });
    expect(boundsOf(eggs.create, 'enabled')).toEqual({ min: undefined, max: undefined });
  });

  test('every number and every text of every area has an upper one', () => {
    for (const definition of Object.values(RESOURCES)) {
      for (const [name, { kind }] of Object.entries(definition.fields)) {
        if (kind !== 'number' && kind !== 'text' && kind !== 'textarea') continue;
        expect({ area: definition.area, name, bounded: boundsOf(definition.create, name).max !== undefined }).toEqual({
          area: definition.area,
          name,
          bounded: true,
        });
      }
    }
  });
});

describe('what a form sent', () => {
  const code = {
    code: 'A-B-C-D',
    credits: '50',
    note: '',
    uses_total: '1',
    min_age_days: '0',
    _zone: 'Europe/Bucharest',
  };
  const read = (values: Readonly<Record<string, string>>) =>
    readResource(redeemCodes, redeemCodes.create, form({ ...code, ...values }));

  test('a field becomes what the schema asks for: numbers, switches, times of the zone', () => {
    expect(read({ enabled: 'on', starts_at: '2026-07-01T18:00', ends_at: '' })).toEqual({
      code: 'A-B-C-D',
      credits: 50,
      note: '',
      uses_total: 1,
      min_age_days: 0,
      enabled: true,
      starts_at: '2026-07-01T15:00:00.000Z',
      ends_at: null,
    });
    expect(read({}).enabled).toBe(false);
  });

  test('a field keeps what is no number and no time, for the schema to refuse', () => {
    const values = read({ credits: '1e3', starts_at: 'soon', ends_at: '2026-02-31T00:00:00' });
    expect(values).toMatchObject({ credits: '1e3', starts_at: 'soon' });
    expect(redeemCodes.create.safeParse(values).success).toBe(false);
  });

  test('T46 a zone that does not exist counts as UTC', () => {
    expect(read({ _zone: '../../etc', starts_at: '2026-07-01T18:00' }).starts_at).toBe('2026-07-01T18:00:00.000Z');
  });
});
