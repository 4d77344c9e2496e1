import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Textarea } from '#client/ui/text-input.tsx';
import { NOTE_MAX } from '#shared/schemas/staff-user.ts';
import type { StaffAnswer } from './staff-answer.ts';
import { useConfirm } from '../parts/use-confirm.ts';
import type { TabData, UserData } from './edit.tsx';

type Note = NonNullable<TabData['notes']>[number];

/** What staff noted of the user, and a form for another note. */
export function NotesTab({
  user,
  notes,
  answer,
}: {
  user: UserData;
  notes: readonly Note[];
  answer: StaffAnswer | undefined;
}): ReactNode {
  const t = useT('staffUsers');
  const errors = useErrorText();
  const added = answer?.intent === 'addNote' ? answer.result : undefined;
  const deleted = answer?.intent === 'deleteNote' ? answer.result : undefined;
  const shown = useFormProps(added, ['text']);
  const labels = { text: t('noteLabel') };
  return (
    <>
      {(added?.ok || deleted?.ok) && (
        <Banner tone="positive" live>
          {t(added?.ok ? 'noteAdded' : 'noteDeleted')}
        </Banner>
      )}
      {deleted && !deleted.ok && (
        <Banner tone="danger" live>
          {errors.code(deleted.code)}
        </Banner>
      )}
      <Card title={t('notes')} text={t('notesText')} count={notes.length}>
        {user.status !== 'deleted' && (
          <Form {...shown} labels={labels} key={added?.ok ? added.at : ''} preventScrollReset>
            <FormKey />
            <input type="hidden" name="_intent" value="addNote" />
            <Field label={labels.text} name="text" required counter={NOTE_MAX}>
              <Textarea maxLength={NOTE_MAX} rows={3} />
            </Field>
            <Button type="submit" variant="primary">
              {t('addNote')}
            </Button>
          </Form>
        )}
        {notes.length === 0 ? (
          <p className="sp-lead">{t('noNotes')}</p>
        ) : (
          <List label={t('notes')}>
            {notes.map((note) => (
              <NoteItem key={note.id} note={note} />
            ))}
          </List>
        )}
      </Card>
    </>
  );
}

function NoteItem({ note }: { note: Note }): ReactNode {
  const t = useT('staffUsers');
  const format = useFormat();
  const date = format.dateTime(note.at);
  const onSubmit = useConfirm({ title: t('askDeleteNote'), text: note.text, ok: t('deleteNote'), tone: 'danger' });
  return (
    <ListItem
      title={<span className="sp-note">{note.text}</span>}
      text={note.author === null ? t('noteByNobody', { date }) : t('noteBy', { name: note.author, date })}
      {...(note.mine
        ? {
            end: (
              <Form noSummary onSubmit={onSubmit} preventScrollReset>
                <input type="hidden" name="_intent" value="deleteNote" />
                <input type="hidden" name="note" value={note.id} />
                <Button type="submit" variant="ghost" size="sm" aria-label={t('deleteNoteOf', { date })}>
                  {t('deleteNote')}
                </Button>
              </Form>
            ),
          }
        : {})}
    />
  );
}
