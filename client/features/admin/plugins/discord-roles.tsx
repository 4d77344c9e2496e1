import type { ReactNode } from 'react';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { Select } from '#client/ui/select.tsx';
import { Status } from '#client/ui/status.tsx';
import type { Api } from '#shared/contract/index.ts';
import type { DiscordServerView } from '#shared/contract/plugins.ts';
import { FIXED_SOURCES, type RoleSource } from '#shared/discord-roles.ts';

type DiscordRoles = Awaited<ReturnType<Api['adminDiscordRoles']['get']>>;

/** Name of the field of a source. */
const fieldOf = (source: RoleSource): string => `rule.${source}`;

/** The rules that a form says: those of the sources that a role was chosen for. */
export function readRules(form: FormData): { source: string; role_id: string }[] {
  return [...form.entries()].flatMap(([name, value]) =>
    name.startsWith('rule.') && typeof value === 'string' && value !== ''
      ? [{ source: name.slice('rule.'.length), role_id: value }]
      : [],
  );
}

/** Roles in the Discord server: whether the bot works, and which role stands for what. */
export function DiscordRolesCards({ roles }: { roles: DiscordRoles }): ReactNode {
  const t = useT('plugins');
  const { server } = roles;
  if (!server)
    return (
      <Card title={t('discord.title')} text={t('discord.text')}>
        <p className="sp-muted">{t('discord.notSet')}</p>
      </Card>
    );
  return (
    <>
      <BotCard server={server} roles={roles} />
      <RulesCard server={server} roles={roles} />
    </>
  );
}

/** Whether the bot can do its work, and what came of it. */
function BotCard({
  server,
  roles: { counts, refused },
}: {
  server: DiscordServerView;
  roles: DiscordRoles;
}): ReactNode {
  const t = useT('plugins');
  const format = useFormat();
  const { fault, checked_at: checked } = server;
  const shape = checked === null ? 'off' : fault === null ? 'active' : 'failed';
  return (
    <Card
      title={t('discord.botTitle')}
      aside={<Status shape={shape}>{t(`discord.state.${checked === null ? 'new' : (fault ?? 'ok')}`)}</Status>}
    >
      {fault !== null && (
        <Banner tone="warning">
          {t(`discord.fault.${fault}`, { date: format.dateTime(server.fault_since ?? checked ?? '') })}
        </Banner>
      )}
      <Facts
        items={[
          { label: t('discord.server'), value: server.name === '' ? server.id : server.name },
          { label: t('discord.checked'), value: checked === null ? t('discord.never') : format.dateTime(checked) },
          { label: t('discord.done'), value: format.number(counts.done) },
          { label: t('discord.absent'), value: format.number(counts.absent) },
          { label: t('discord.refused'), value: format.number(counts.refused) },
        ]}
      />
      {refused.length > 0 && (
        <Banner tone="warning">{t('discord.refusedText', { names: refused.join(', '), count: counts.refused })}</Banner>
      )}
      <Form>
        <input type="hidden" name="_what" value="check" />
        <div className="sp-btn-row">
          <Button type="submit" icon="refresh">
            {t('discord.check')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

/** Which role of Discord stands for what. */
function RulesCard({ server, roles }: { server: DiscordServerView; roles: DiscordRoles }): ReactNode {
  const t = useT('plugins');
  const feedback = useFormProps(useActionAnswer<FormResult<unknown>>(), ['rules']);
  const own = new Map(roles.own_roles.map(({ id, name }) => [`role:${id}` as const, name]));
  const sources: readonly RoleSource[] = [...FIXED_SOURCES, ...own.keys()];
  const labelOf = (source: RoleSource): string =>
    source === 'linked' || source === 'server'
      ? t(`discord.source.${source}`)
      : t('discord.source.role', { name: own.get(source as `role:${string}`) ?? source });
  const known = server.roles.map(({ id, name, above }) => ({
    value: id,
    label: above ? t('discord.above', { name }) : name,
    disabled: above,
  }));
  const optionsOf = (roleId: string) => [
    { value: '', label: t('discord.none') },
    ...known.map((each) => (each.value === roleId ? { ...each, disabled: false } : each)),
    ...(roleId === '' || known.some(({ value }) => value === roleId)
      ? []
      : [{ value: roleId, label: t('discord.gone', { id: roleId }) }]),
  ];
  const chosen = (source: RoleSource): string => server.rules.find((rule) => rule.source === source)?.role_id ?? '';
  return (
    <Card title={t('discord.title')} text={t('discord.text')}>
      {server.roles.length === 0 ? (
        <p className="sp-muted">{t('discord.noRoles')}</p>
      ) : (
        <Form {...feedback} labels={{ rules: t('discord.title') }} key={server.revision}>
          <FormKey />
          <input type="hidden" name="_what" value="rules" />
          <input type="hidden" name="_revision" value={server.revision} />
          <div className="sp-fields" data-columns="2">
            {sources.map((source) => (
              <Field key={source} name={fieldOf(source)} label={labelOf(source)}>
                <Select options={optionsOf(chosen(source))} defaultValue={chosen(source)} />
              </Field>
            ))}
          </div>
          <p className="sp-muted sp-small">{t('discord.keeps')}</p>
          <div className="sp-btn-row">
            <Button type="submit" variant="secondary">
              {t('discord.save')}
            </Button>
          </div>
        </Form>
      )}
    </Card>
  );
}
