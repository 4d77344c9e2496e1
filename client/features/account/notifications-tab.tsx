import { useId, type ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Switch } from '#client/ui/choice.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { Select } from '#client/ui/select.tsx';
import { MAIL_WAYS, NOTIFICATION_GROUPS } from '#shared/notifications.ts';
import { PushCard } from './push-card.tsx';
import type { AccountData } from './screen.tsx';

type Settings = NonNullable<AccountData['notifications']>;
type Way = Settings['ways'][number];

/** Of the form, or of its reset. */
export interface NotificationsAnswer {
  readonly intent: 'notifications' | 'resetNotifications';
  readonly result: FormResult<null>;
}
interface TabProps {
  settings: Settings;
  answer: NotificationsAnswer | undefined;
}

/** By which ways and when the visitor wants what they are notified of (behaviour 7.5). */
export function NotificationsTab({ settings, answer }: TabProps): ReactNode {
  const t = useT('notificationSettings');
  const shown = useFormProps(answer?.result);
  const resetId = useId();
  // After a reset the controls begin again with the defaults, which come after the answer.
  const isReset = answer?.intent === 'resetNotifications' && answer.result.ok;
  const begun = isReset ? JSON.stringify([settings.ways, settings.digest_hour, settings.quiet]) : '';
  return (
    <>
      {answer?.result.ok && (
        <Banner tone="positive" live>
          {t('saved')}
        </Banner>
      )}
      <Form {...shown} key={begun} noValidate>
        <input type="hidden" name="_intent" value="notifications" />
        <div className="sp-split">
          <Card title={t('title')} text={t('text')} flush>
            <WayTable ways={settings.ways} pushes={settings.push !== null} />
          </Card>
          <div className="sp-ways__side">
            <TimesCards settings={settings} />
            {settings.push && <PushCard push={settings.push} />}
          </div>
        </div>
        <div className="sp-btn-row">
          <Button type="submit" variant="primary">
            {t('save')}
          </Button>
          <Button type="submit" variant="ghost" icon="refresh" form={resetId}>
            {t('reset')}
          </Button>
        </div>
      </Form>
      <Form id={resetId}>
        <input type="hidden" name="_intent" value="resetNotifications" />
      </Form>
    </>
  );
}

function WayTable({ ways, pushes }: { ways: readonly Way[]; pushes: boolean }): ReactNode {
  const t = useT('notificationSettings');
  return (
    <table className="sp-ways">
      <caption className="sp-sr">{t('caption')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('kind')}</th>
          <th scope="col">
            <Icon name="bell" size="sm" />
            <span>{t('app')}</span>
          </th>
          <th scope="col">
            <Icon name="mail" size="sm" />
            <span>{t('mail')}</span>
          </th>
          {pushes && (
            <th scope="col">
              <Icon name="smartphone" size="sm" />
              <span>{t('push')}</span>
            </th>
          )}
        </tr>
      </thead>
      {NOTIFICATION_GROUPS.map((group) => {
        const own = ways.filter((way) => way.group === group);
        return (
          own.length > 0 && (
            <tbody key={group}>
              <tr className="sp-ways__group">
                <th scope="rowgroup" colSpan={pushes ? 4 : 3}>
                  {t(`group.${group}`)}
                </th>
              </tr>
              {own.map((way) => (
                <WayRow key={way.subject} way={way} pushes={pushes} />
              ))}
            </tbody>
          )
        );
      })}
    </table>
  );
}

function WayRow({ way, pushes }: { way: Way; pushes: boolean }): ReactNode {
  const { subject, app, mail, push, always } = way;
  const t = useT('notificationSettings');
  const name = t(`subject.${subject}`);
  const locked = (way: string) => (
    <span className="sp-ways__lock">
      <Icon name="lock" size="sm" />
      <span className="sp-sr">{t('locked', { name, way })}</span>
    </span>
  );
  const box = (way: 'app' | 'push', isOn: boolean) => (
    <label className="sp-check">
      <input
        type="checkbox"
        name={way}
        value={subject}
        defaultChecked={isOn}
        aria-label={t('cell', { name, way: t(way) })}
      />
    </label>
  );
  return (
    <tr>
      <th scope="row">
        {name}
        <span className="sp-meta">{t(`hint.${subject}`)}</span>
        {/* Where the host pushes nothing, what was chosen stays for the day it does. */}
        {!pushes && push && <input type="hidden" name="push" value={subject} />}
      </th>
      <td>{always ? locked(t('app')) : box('app', app)}</td>
      <td>
        {always ? (
          locked(t('mail'))
        ) : (
          <Select
            size="sm"
            name={`mail.${subject}`}
            aria-label={t('cell', { name, way: t('mail') })}
            defaultValue={mail}
            options={MAIL_WAYS.map((value) => ({ value, label: t(`mailWay.${value}`) }))}
          />
        )}
      </td>
      {pushes && <td>{box('push', push)}</td>}
    </tr>
  );
}

/** When the mail of the day comes, and when nothing does. */
function TimesCards({ settings }: { settings: Settings }): ReactNode {
  const t = useT('notificationSettings');
  const hours = Array.from({ length: 24 }, (_, hour) => ({
    value: String(hour),
    label: `${String(hour).padStart(2, '0')}:00`,
  }));
  return (
    <>
      <Card title={t('dailyTitle')} text={t('dailyText')}>
        <Field label={t('dailyHour')} name="digest_hour" hint={settings.time_zone}>
          <Select options={hours} defaultValue={String(settings.digest_hour)} />
        </Field>
      </Card>
      <Card title={t('quietTitle')} text={t('quietText')}>
        <Switch name="quiet" label={t('quiet')} defaultChecked={settings.quiet !== null} />
        <div className="sp-ways__hours">
          <Field label={t('quietFrom')} name="quiet_from">
            <Select options={hours} defaultValue={String(settings.quiet?.from ?? 22)} />
          </Field>
          <Field label={t('quietUntil')} name="quiet_until">
            <Select options={hours} defaultValue={String(settings.quiet?.until ?? 8)} />
          </Field>
        </div>
        <p className="sp-meta">{t('zone', { zone: settings.time_zone })}</p>
      </Card>
    </>
  );
}
