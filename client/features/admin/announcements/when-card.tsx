import { useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { useI18n, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox, Switch } from '#client/ui/choice.tsx';
import { DateInput } from '#client/ui/date-input.tsx';
import { Field, FieldGroup } from '#client/ui/field.tsx';
import { useRestoredValue } from '#client/ui/field-context.ts';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { ANNOUNCEMENT_AUDIENCES, type AnnouncementAudience, type AnnouncementState } from '#shared/announcements.ts';
import { can } from '#shared/can.ts';
import { pictureSrcSet, pictureUrl } from '#shared/picture-url.ts';
import { wallTime } from '#shared/zoned.ts';
import { LibraryButton } from '../parts/pictures/library-button.tsx';
import { UploadButton, UploadProblem } from '../parts/pictures/upload-button.tsx';
import { usePictureValue } from '../parts/pictures/use-picture-value.ts';
import { useUpload } from '../parts/pictures/use-upload.ts';
import { Reach } from './reach.tsx';

/** What an announcement is besides its texts. */
export interface Facts {
  readonly state: AnnouncementState;
  readonly tags: readonly string[];
  readonly picture: string;
  readonly audience: AnnouncementAudience;
  readonly targets: readonly string[];
  readonly pinned: boolean;
  readonly urgent: boolean;
  readonly notifies: boolean;
  readonly mails: boolean;
  readonly pushes: boolean;
  readonly publish_at: string | null;
  readonly end_at: string | null;
}
interface Named {
  readonly id: string;
  readonly name: string;
}
export interface Targets {
  readonly roles: readonly Named[];
  readonly locations: readonly Named[];
}

/** When it is shown and to whom. */
export function WhenCard(props: {
  readonly facts: Facts;
  readonly targets: Targets;
  readonly form: RefObject<HTMLFormElement | null>;
}): ReactNode {
  const { facts, targets, form } = props;
  const t = useT('staffAnnouncements');
  const { timeZone } = useI18n();
  const wall = (at: string | null) => (at === null ? '' : wallTime(Date.parse(at), timeZone));
  const choices = facts.state === 'draft' ? ['draft', 'now', 'at'] : ['at', 'draft'];
  return (
    <Card title={t('when')}>
      <input type="hidden" name="_zone" value={timeZone} />
      <input type="hidden" name="_publish_at" value={facts.publish_at ?? ''} />
      <input type="hidden" name="_end_at" value={facts.end_at ?? ''} />
      <Field label={t('publish')} name="publish">
        <Select
          defaultValue={facts.state === 'draft' ? 'draft' : 'at'}
          options={choices.map((value) => ({
            value,
            label: t(
              `publishing.${facts.state !== 'draft' && value === 'draft' ? 'back' : (value as 'draft' | 'now' | 'at')}`,
            ),
          }))}
        />
      </Field>
      <Field label={t('publishAt')} name="publish_at" optional>
        <DateInput time defaultValue={wall(facts.publish_at)} />
      </Field>
      <Field label={t('endAt')} name="end_at" optional>
        <DateInput time defaultValue={wall(facts.end_at)} />
      </Field>
      <p className="sp-muted">{t('zone', { zone: timeZone })}</p>
      <Audience facts={facts} targets={targets} />
      <Reach form={form} />
      <Switch name="notifies" label={t('notifies')} hint={t('notifiesHint')} defaultChecked={facts.notifies} />
      <div className="sp-newsedit__ways">
        <Switch name="mails" label={t('mails')} hint={t('mailsHint')} defaultChecked={facts.mails} />
        <Switch name="pushes" label={t('pushes')} hint={t('pushesHint')} defaultChecked={facts.pushes} />
      </div>
      <Switch name="pinned" label={t('pinned')} hint={t('pinnedHint')} defaultChecked={facts.pinned} />
      <Switch name="urgent" label={t('urgent')} hint={t('urgentHint')} defaultChecked={facts.urgent} />
    </Card>
  );
}

/** Everybody, some roles, or those with a server at some locations. Without scripts every list shows. */
function Audience({ facts, targets }: { facts: Facts; targets: Targets }): ReactNode {
  const t = useT('staffAnnouncements');
  const hydrated = useHydrated();
  const restored = useRestoredValue('audience');
  const [audience, choose] = useState<string>(restored ?? facts.audience);
  const lists = { roles: targets.roles, locations: targets.locations };
  return (
    <>
      <Field label={t('audience')} name="audience">
        <Select
          defaultValue={facts.audience}
          onChange={(event) => choose(event.currentTarget.value)}
          options={ANNOUNCEMENT_AUDIENCES.filter(
            (value) => value === 'everyone' || value === facts.audience || lists[value].length > 0,
          ).map((value) => ({ value, label: t(`audiences.${value}`) }))}
        />
      </Field>
      {(['roles', 'locations'] as const)
        .filter((kind) => lists[kind].length > 0 && (!hydrated || audience === kind))
        .map((kind) => (
          <div key={kind} data-unscripted={audience !== kind || undefined}>
            <FieldGroup label={t(kind)} name="targets">
              <div className="sp-newsedit__targets">
                {lists[kind].map(({ id, name }) => (
                  <Checkbox key={id} name={`targets.${kind}`} value={id} defaultChecked={facts.targets.includes(id)}>
                    {name}
                  </Checkbox>
                ))}
              </div>
            </FieldGroup>
          </div>
        ))}
    </>
  );
}

/** Its tags and the picture above it. */
export function LooksCard({ facts }: { facts: Facts }): ReactNode {
  const t = useT('staffAnnouncements');
  return (
    <Card title={t('looks')}>
      <Field label={t('tags')} name="tags" optional hint={t('tagsHint')}>
        <TextInput defaultValue={facts.tags.join(', ')} autoComplete="off" />
      </Field>
      <CoverField picture={facts.picture} />
    </Card>
  );
}

/** The picture above an announcement: chosen, uploaded, and seen at once. */
function CoverField({ picture }: { picture: string }): ReactNode {
  const t = useT('staffAnnouncements');
  const { permissions } = useShell().session;
  const { id, setId, hidden } = usePictureValue('picture', picture);
  const { state, upload } = useUpload(setId);
  return (
    <FieldGroup label={t('cover')} name="picture" hint={t('coverHint')}>
      <input type="hidden" name="picture" value={id} ref={hidden} />
      {id !== '' && (
        <div className="sp-newsedit__cover">
          <img
            src={pictureUrl(id, 'card')}
            srcSet={pictureSrcSet(id, 'announcement')}
            sizes="(max-width: 1099px) 90vw, 26rem"
            alt={t('cover')}
          />
        </div>
      )}
      <div className="sp-row">
        {can(permissions, 'admin.announcements.edit') && (
          <>
            <UploadButton
              label={t(state === 'busy' ? 'pictureBusy' : 'pictureChoose')}
              state={state}
              onChoose={(file) =>
                void upload(file, async (api, body) => (await api.adminAnnouncements.addPicture({ body })).id)
              }
            />
            <LibraryButton kind="announcement" label={t('pictureLibrary')} onChoose={setId} />
          </>
        )}
        {id !== '' && (
          <Button size="sm" variant="ghost" icon="trash" onClick={() => setId('')}>
            {t('pictureRemove')}
          </Button>
        )}
      </div>
      <UploadProblem state={state} />
    </FieldGroup>
  );
}
