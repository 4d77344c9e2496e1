import { expect, test } from 'bun:test';
import { CLIENT_DIR } from '../client-build.ts';
import { WEIGHT_BUDGETS, weightFigures } from './weight.ts';

// Shows issue 12: the settings page keeps the dashboard's budget of JavaScript. By the client as it was last built.

test('the scripts of every page that has a budget stay within it, compressed as they are served', () => {
  const figures = weightFigures(CLIENT_DIR);
  expect(figures).toHaveLength(Object.keys(WEIGHT_BUDGETS).length);
  expect(figures.filter(({ value }) => value < 100).map(({ id }) => id)).toEqual([]);
  expect(figures.filter(({ holds }) => holds !== true).map(({ id, value }) => `${id}: ${value}`)).toEqual([]);
});
