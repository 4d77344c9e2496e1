import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, CardSection } from '#client/ui/card.tsx';
import { Checkbox, Switch } from '#client/ui/choice.tsx';
import { Field, FieldGroup } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { WebhookInput } from '#shared/schemas/webhook.ts';
import { WEBHOOK_NAME_MAX, WEBHOOK_URL_MAX } from '#shared/webhooks.ts';

interface FormProps {
  readonly webhook: Readonly<Omit<WebhookInput, 'events'>> & { readonly events: readonly string[] };
  /** Names of all events. */
  readonly names: readonly string[];
  readonly answer: FormResult<unknown> | undefined;
  /** Where "Cancel" leads. */
  readonly back: string;
  readonly children?: ReactNode;
}

/** Where an endpoint is, what it hears of, and how. */
export function WebhookForm({ webhook, names, answer, back, children }: FormProps): ReactNode {
  const t = useT('webhooks');
  const isDiscord = webhook.kind === 'discord';
  const labels = { name: t('name'), url: t(isDiscord ? 'discordUrl' : 'url'), events: t('events') };
  const shown = useFormProps(answer, Object.keys(labels));
  return (
    <Form {...shown} labels={labels} noValidate>
      <input type="hidden" name="kind" value={webhook.kind ?? 'standard'} />
      {children}
      <Card title={t('target')}>
        <CardSection>
          <div className="sp-fields" data-columns="2">
            <Field label={labels.name} name="name" required>
              <TextInput maxLength={WEBHOOK_NAME_MAX} defaultValue={webhook.name} autoComplete="off" />
            </Field>
            <Field label={labels.url} name="url" hint={t(isDiscord ? 'discordUrlHint' : 'urlHint')} required>
              <TextInput
                type="url"
                maxLength={WEBHOOK_URL_MAX}
                defaultValue={webhook.url}
                autoComplete="off"
                spellCheck={false}
              />
            </Field>
          </div>
          <Switch name="enabled" label={t('enabled')} hint={t('enabledHint')} defaultChecked={webhook.enabled} />
          {!isDiscord && (
            <Switch name="ordered" label={t('ordered')} hint={t('orderedHint')} defaultChecked={webhook.ordered} />
          )}
        </CardSection>
      </Card>
      <Card title={t('events')} text={t(isDiscord ? 'discordEventsText' : 'eventsText')}>
        <CardSection>
          <FieldGroup label={labels.events} name="events">
            <EventChoice names={names} chosen={webhook.events} />
          </FieldGroup>
        </CardSection>
      </Card>
      <div className="sp-btn-row">
        <Button type="submit" variant="primary">
          {t('save')}
        </Button>
        <LinkButton to={back} variant="ghost">
          {t('cancel')}
        </LinkButton>
      </div>
    </Form>
  );
}

/** All events, those of a group, or single ones. Their names are those of the requests, the same in every language. */
function EventChoice({ names, chosen }: { names: readonly string[]; chosen: readonly string[] }): ReactNode {
  const t = useT('webhooks');
  const groups = [...new Set(names.map((name) => name.split('.')[0] ?? ''))];
  const box = (value: string, label: ReactNode) => (
    <Checkbox key={value} name="events" value={value} defaultChecked={chosen.includes(value)}>
      {label}
    </Checkbox>
  );
  return (
    <div className="sp-hooks__events">
      {box('*', t('allEvents'))}
      {groups.map((group) => {
        const own = names.filter((name) => name.startsWith(`${group}.`)).map((name) => box(name, <code>{name}</code>));
        const all = `${group}.*`;
        // A group of one event is that event, unless somebody chose what will be in it one day.
        if (own.length === 1 && !chosen.includes(all)) return own;
        return (
          <div key={group} className="sp-hooks__group">
            {box(all, <code>{all}</code>)}
            <div className="sp-hooks__single">{own}</div>
          </div>
        );
      })}
    </div>
  );
}
