import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginResource } from './new-resource.ts';

const root = mkdtempSync(join(tmpdir(), 'spawnpoint-resource-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('the script that begins an admin area', () => {
  test('writes every file once, with a migration after the last one', () => {
    mkdirSync(join(root, 'server/data/migrations'), { recursive: true });
    writeFileSync(join(root, 'server/data/migrations/0041_last.ts'), '');
    const { written, lines } = beginResource(root, 'mail-templates', 'admin.mail.templates');
    expect(written).toHaveLength(9);
    for (const file of written) expect(existsSync(join(root, file))).toBe(true);
    expect(written).toContain('server/data/migrations/0042_mail_templates.ts');
    expect(readFileSync(join(root, 'shared/resources/mail-templates.ts'), 'utf8')).toContain(
      "permission: 'admin.mail.templates'",
    );
    expect(readFileSync(join(root, 'client/features/admin/mail-templates/edit.tsx'), 'utf8')).toContain(
      'api.adminMailTemplates',
    );
    expect(
      lines.some((line) =>
        line.includes("crudRoutes('mailTemplates', '/mc-admin/mail-templates', 'admin.mail.templates'"),
      ),
    ).toBe(true);
    expect(() => beginResource(root, 'mail-templates', 'admin.mail.templates')).toThrow('exist already');
  });

  test('refuses names and permissions that do not fit', () => {
    expect(() => beginResource(root, 'Mail', 'admin.mail.templates')).toThrow('not a name');
    expect(() => beginResource(root, '../x', 'admin.mail.templates')).toThrow('not a name');
    expect(() => beginResource(root, 'people', 'admin.users')).toThrow('admin.users.create');
  });
});
