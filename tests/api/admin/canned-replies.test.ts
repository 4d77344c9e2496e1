import { describe } from 'bun:test';
import { cannedReplies } from '#shared/resources/canned-replies.ts';
import { ENGINES } from '#tests/support/db.ts';
import { crudSuite } from '../crud-suite.ts';

describe.each(ENGINES)('canned replies (%s)', (engine) => {
  crudSuite(
    cannedReplies,
    {
      input: (n) => ({
        name: `Row ${String(n).padStart(2, '0')}`,
        text: `No. ${n}`,
        position: (n * 5) % 7,
        enabled: n % 2 === 0,
      }),
      change: { text: 'Changed', position: 77, enabled: false },
      bad: [
        [{ name: '' }, 'name', 'REQUIRED'],
        [{ name: 'a'.repeat(81) }, 'name', 'TOO_LONG'],
        [{ text: '' }, 'text', 'REQUIRED'],
        [{ text: 'a'.repeat(2501) }, 'text', 'TOO_LONG'],
        [{ text: 'Hi {{password}}' }, 'text', 'VARIABLE_UNKNOWN'],
        [{ text: '{{#each users}}' }, 'text', 'VARIABLE_UNKNOWN'],
      ],
      unique: { field: 'name', code: 'NAME_TAKEN' },
      depend: {},
      text: 'text',
    },
    engine,
  );
});
