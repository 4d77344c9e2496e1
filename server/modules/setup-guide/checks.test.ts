import { expect, test } from 'bun:test';
import { SETTINGS, type SettingValues } from '#shared/settings.ts';
import { checkPanels, type SetupFacts } from './checks.ts';

const FACTS: SetupFacts = {
  values: Object.fromEntries(Object.entries(SETTINGS).map(([key, row]) => [key, row.default])) as SettingValues,
  appUrl: 'https://panel.example.com',
  origin: '',
  mailServer: null,
  builtIn: true,
  node: null,
  panels: [],
  locations: [],
  eggs: [],
  backup: { proven: null, elsewhere: null },
};
const find = (facts: Partial<SetupFacts>) =>
  checkPanels({ ...FACTS, ...facts }).map(({ code, state }) => [code, state]);

test('the built-in panel is enough, and a guide says where it only imitates servers', () => {
  expect(find({})).toEqual([
    ['panelBuiltIn', 'ok'],
    ['serversRun', 'warning'],
  ]);
});

test('where servers of the built-in panel run on this machine, its node has to answer', () => {
  expect(find({ node: true })).toEqual([
    ['panelBuiltIn', 'ok'],
    ['nodeAnswers', 'ok'],
  ]);
  expect(find({ node: false })).toEqual([
    ['panelBuiltIn', 'ok'],
    ['nodeAnswers', 'failed'],
  ]);
});

test('without a panel inside one has to be connected, whatever runs on this machine', () => {
  expect(find({ builtIn: false })).toEqual([['panelBuiltIn', 'failed']]);
});
