import { expect, test } from 'bun:test';
import { fillCannedReply } from './canned-replies.ts';

const values = {
  user: '{{staff}}',
  number: '1042',
  subject: '$& port',
  department: 'Technical',
  server: '',
  staff: 'oana',
  host: 'Lanternhost',
};

test('T47 a canned reply puts in its variables once: what a value holds in braces is text', () => {
  expect(
    fillCannedReply('Hi {{user}}, #{{number}} ({{subject}}) by {{staff}}, {{constructor}} {{ user }}', values),
  ).toBe('Hi {{staff}}, #1042 ($& port) by oana, {{constructor}} {{ user }}');
});
