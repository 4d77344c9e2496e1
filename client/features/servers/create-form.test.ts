import { describe, expect, test } from 'bun:test';
import type { FormFailure } from '#client/lib/form-action.ts';
import { readForm } from '#client/lib/form-action.ts';
import { serverCreateInput } from '#shared/schemas/server.ts';
import {
  amountsFit,
  alternativeLocation,
  amountBounds,
  findChoice,
  toRequestBody,
  createForm,
  eggValue,
  initialAmounts,
  initialDraft,
  raiseToMinimum,
  toFormFields,
  findShortage,
  sliderStep,
  insufficientKinds,
  variableField,
} from './create-form.ts';
import { ID, egg, options } from './testing.ts';

const paper = eggValue(ID(31), ID(21));
const { meters } = options();

describe('what the form sends', () => {
  const fields = {
    name: 'Mossy Haven',
    description: '',
    location_id: ID(11),
    egg: paper,
    memory: '2048',
    disk: '4096',
    cpu: '150',
    ports: '1',
    databases: '0',
    backups: '0',
    auto_renew: 'on',
    _category: '0',
    [variableField(ID(21), 'VERSION')]: '1.20',
    [variableField(ID(24), 'VERSION')]: 'of another egg',
  };
  const filled = () => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return form;
  };

  test('the form sends what the API takes, with the variables of the chosen egg alone', () => {
    const body = toRequestBody(createForm.parse(readForm(createForm, filled())));
    expect(serverCreateInput.safeParse(body).success).toBe(true);
    expect(body).toMatchObject({
      category_id: ID(31),
      egg_id: ID(21),
      memory: 2048,
      variables: { VERSION: '1.20' },
      auto_renew: true,
    });
  });

  test('a form without a location or software is refused at these fields', () => {
    const form = filled();
    form.delete('egg');
    form.delete('location_id');
    const parsed = createForm.safeParse(readForm(createForm, form));
    expect(parsed.error?.issues.map((issue) => issue.path.join('.')).sort()).toEqual(['egg', 'location_id']);
  });
});

describe('toFormFields', () => {
  const failure = (more: Partial<FormFailure>): FormFailure => ({
    ok: false,
    code: 'VALIDATION_FAILED',
    fields: {},
    values: { egg: paper },
    requestId: null,
    retryAfterS: null,
    ...more,
  });
  test('variables get the name they have in the form', () => {
    expect(toFormFields(failure({ fields: { 'variables.VERSION': ['RULE_FAILED'] } })).fields).toEqual({
      [variableField(ID(21), 'VERSION')]: ['RULE_FAILED'],
    });
  });
  test('egg and category are one field', () => {
    expect(toFormFields(failure({ fields: { egg_id: ['INVALID'] } })).fields).toEqual({ egg: ['INVALID'] });
    expect(toFormFields(failure({ code: 'EGG_CATEGORY_MISMATCH' })).fields).toEqual({ egg: ['UNAVAILABLE'] });
  });
  test('a location that cannot be had is named at the location, and slots have no field', () => {
    expect(toFormFields(failure({ code: 'LOCATION_FULL' })).fields).toEqual({ location_id: ['UNAVAILABLE'] });
    expect(
      toFormFields(failure({ code: 'NOT_ENOUGH_SLOTS', fields: { slots: ['NOT_ENOUGH'], memory: ['NOT_ENOUGH'] } }))
        .fields,
    ).toEqual({ memory: ['NOT_ENOUGH'] });
  });
});

describe('amounts', () => {
  test('amounts lie between the larger minimum and what is free', () => {
    expect(amountBounds('memory', egg(1, 'x'), meters)).toEqual({ min: 1024, max: 2048 });
    expect(amountBounds('memory', null, meters)).toEqual({ min: 256, max: 2048 });
    expect(amountBounds('ports', egg(1, 'x'), meters)).toEqual({ min: 1, max: 3 });
    expect(amountBounds('databases', null, { ...meters, databases: { used: 5, limit: 2 } })).toEqual({
      min: 0,
      max: 0,
    });
  });
  test('amounts begin as a fair share of what is free for each slot', () => {
    expect(initialAmounts(egg(1, 'x'), meters)).toEqual({
      memory: 2048,
      disk: 4096,
      cpu: 150,
      ports: 1,
      databases: 0,
      backups: 0,
    });
    expect(initialAmounts(egg(1, 'x'), { ...meters, slots: { used: 1, limit: 5 } })).toMatchObject({
      memory: 1024,
      disk: 1024,
      cpu: 50,
    });
    const roomy = { ...meters, memory: { used: 0, limit: 8192 }, slots: { used: 3, limit: 5 } };
    expect(initialAmounts(egg(1, 'x'), roomy).memory).toBe(4096);
  });
  test('amounts are raised to what another egg needs', () => {
    const amounts = initialAmounts(null, meters);
    expect(raiseToMinimum({ ...amounts, memory: 512 }, egg(1, 'x'), meters).memory).toBe(1024);
    expect(raiseToMinimum({ ...amounts, memory: 2000 }, egg(1, 'x'), meters).memory).toBe(2000);
  });
  test('amounts either fit or do not', () => {
    const amounts = initialAmounts(egg(1, 'x'), meters);
    expect(amountsFit(amounts, egg(1, 'x'), meters)).toBe(true);
    expect(amountsFit({ ...amounts, memory: 2049 }, egg(1, 'x'), meters)).toBe(false);
    expect(amountsFit({ ...amounts, memory: 1023 }, egg(1, 'x'), meters)).toBe(false);
    expect(amountsFit({ ...amounts, cpu: 50.5 }, egg(1, 'x'), meters)).toBe(false);
  });
  test('steps of sliders reach both ends in the coarsest steps that can', () => {
    expect(sliderStep('memory', 1024, 2048)).toBe(128);
    expect(sliderStep('memory', 256, 1000)).toBe(8);
    expect(sliderStep('disk', 256, 4096)).toBe(256);
    expect(sliderStep('cpu', 5, 150)).toBe(5);
    expect(sliderStep('cpu', 5, 151)).toBe(1);
    expect(sliderStep('ports', 1, 3)).toBe(1);
  });
  test('amounts that are missing are named', () => {
    expect(findShortage(egg(1, 'x', { min_memory: 3072 }), meters)).toEqual({ kind: 'memory', amount: 1024 });
    expect(findShortage(egg(1, 'x'), meters)).toBeNull();
    expect(
      insufficientKinds(null, { ...meters, ports: { used: 10, limit: 10 }, cpu: { used: 600, limit: 600 } }),
    ).toEqual(['cpu', 'ports']);
  });
});

describe('the draft', () => {
  test('the draft begins with the first location and software that can be had', () => {
    expect(initialDraft(options(), {})).toMatchObject({
      name: '',
      location: ID(11),
      egg: paper,
      amounts: { memory: 2048 },
    });
    const small = options({ meters: { ...meters, memory: { used: 9728, limit: 10_240 } } });
    expect(initialDraft(small, {}).egg).toBe('');
  });
  test('the draft takes what a refusal gave back', () => {
    const given = { name: 'Old', location_id: ID(14), egg: eggValue(ID(32), ID(24)), memory: '4096', disk: 'x' };
    expect(initialDraft(options(), given)).toMatchObject({
      name: 'Old',
      location: ID(14),
      egg: given.egg,
      amounts: { memory: 4096, disk: 4096 },
    });
  });
  test('a location of our own choice that is full for it gives way to one that is not', () => {
    const [first, second, ...rest] = options().locations;
    if (!first || !second) throw new Error('the sample has two places');
    const draft = initialDraft(options(), {});
    expect(alternativeLocation(draft, options().locations)).toBeNull();
    const full = [{ ...first, available: false }, second, ...rest];
    expect(alternativeLocation(draft, full)).toBe(second.id);
    expect(alternativeLocation({ ...draft, chosenByUser: true }, full)).toBeNull();
    expect(
      alternativeLocation(
        draft,
        full.map((each) => ({ ...each, available: false })),
      ),
    ).toBeNull();
    expect(initialDraft(options(), { location_id: ID(14) }).chosenByUser).toBe(true);
  });
  test('the draft finds category and egg that were chosen', () => {
    expect(findChoice(options().categories, eggValue(ID(32), ID(24)))?.egg.name).toBe('Velocity');
    expect(findChoice(options().categories, eggValue(ID(31), ID(24)))).toBeNull();
  });
});
