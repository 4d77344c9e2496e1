import { describe } from 'bun:test';
import { redirectLinks } from '#shared/resources/redirect-links.ts';
import { ENGINES } from '#tests/support/db.ts';
import { crudSuite } from '../crud-suite.ts';

describe.each(ENGINES)('redirect links (%s)', (engine) => {
  crudSuite(
    redirectLinks,
    {
      input: (n) => ({
        name: `Link ${String(n).padStart(2, '0')}`,
        slug: `link-${n}`,
        target: `https://example.org/${n}`,
        note: `No. ${n}`,
        audience: n % 2 === 0 ? 'everyone' : 'players',
        menu: n % 3 === 0 ? 'none' : 'community',
        icon: 'chat',
        position: (n * 5) % 7,
        enabled: n % 2 === 0,
      }),
      change: { target: 'https://example.org/changed', note: 'Changed', menu: 'play', position: 77, enabled: false },
      bad: [
        [{ name: '' }, 'name', 'REQUIRED'],
        [{ name: 'a'.repeat(61) }, 'name', 'TOO_LONG'],
        [{ slug: '' }, 'slug', 'REQUIRED'],
        [{ slug: 'a'.repeat(61) }, 'slug', 'TOO_LONG'],
        [{ slug: 'our/chat' }, 'slug', 'INVALID_SLUG'],
        [{ slug: 'our--chat' }, 'slug', 'INVALID_SLUG'],
        [{ slug: '..' }, 'slug', 'INVALID_SLUG'],
        [{ target: '' }, 'target', 'REQUIRED'],
        [{ target: 'javascript:alert(1)' }, 'target', 'INVALID_URL'],
        [{ target: 'data:text/html,<script>alert(1)</script>' }, 'target', 'INVALID_URL'],
        [{ target: '//elsewhere.example' }, 'target', 'INVALID_URL'],
        [{ target: '/mc-admin' }, 'target', 'INVALID_URL'],
        [{ target: 'https://name:word@elsewhere.example' }, 'target', 'INVALID_URL'],
        [{ audience: 'nobody' }, 'audience', 'INVALID'],
        [{ menu: 'top' }, 'menu', 'INVALID'],
        [{ icon: 'none' }, 'icon', 'INVALID'],
      ],
      unique: { field: 'name', code: 'NAME_TAKEN' },
      depend: {
        clicks: async (world, id) => {
          await world.db.sql(
            'INSERT INTO redirect_link_days (link_id, day, clicks) VALUES (?, ?, 1) RETURNING link_id',
            [id, '2026-01-01'],
          );
        },
      },
      text: 'note',
    },
    engine,
  );
});
