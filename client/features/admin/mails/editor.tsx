import { useEffect, useRef, useState } from 'react';
import type { ReactNode, SyntheticEvent } from 'react';
import { useFetcher } from 'react-router';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useLooseT, useT } from '#client/lib/i18n.tsx';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Difference } from '#client/ui/difference.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form, useFormErrors } from '#client/ui/form.tsx';
import { SaveBar } from '#client/ui/savebar.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { useUnsavedWarning } from '#client/ui/unsaved.ts';
import type { MailContentView, MailPreviewView } from '#shared/contract/mail-templates.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { MAIL_SUBJECT_CHARS, unknownVariables } from '#shared/mails.ts';
import { Blocks, toEdited, type EditedBlock } from './blocks.tsx';
import { differenceOf, isSameContent } from './content.ts';
import { MailPreview } from './frame.tsx';
import type { ContentAnswer } from './submit.ts';

/** How long after the last letter the preview is made anew. */
const PREVIEW_PAUSE_MS = 500;
/** Where a variable is put in: at the place of the cursor, in the subject or in a block. */
interface Place {
  readonly id: number | 'subject';
  readonly from: number;
  readonly to: number;
}

/** What the editor begins with. */
interface EditorData {
  readonly locale: Locale;
  readonly content: MailContentView;
  /** What it is compared with; null: nothing. */
  readonly original: MailContentView | null;
  readonly revision: number;
  readonly variables: readonly string[];
  readonly preview: MailPreviewView;
}

/** The form of a mail's content in one language, with how it looks and what differs from the original. */
export function Editor({
  data,
  answer,
  choosesUser = false,
  children,
}: {
  data: EditorData;
  answer: ContentAnswer | undefined;
  /** Whether the preview can have the data of another user. */
  choosesUser?: boolean;
  /** Fields beside the content. */
  children?: ReactNode;
}): ReactNode {
  const t = useT('staffMails');
  const failed = answer?.kind === 'failed' ? answer : undefined;
  const typed = failed?.content ?? (answer?.kind === 'tested' ? answer.content : data.content);
  const [subject, setSubject] = useState(typed.subject);
  const [blocks, setBlocks] = useState<readonly EditedBlock[]>(() => toEdited(typed.blocks));
  const place = useRef<Place>({ id: 'subject', from: subject.length, to: subject.length });
  const content: MailContentView = { subject, blocks: blocks.map(({ kind, text }) => ({ kind, text })) };
  const unknown = unknownVariables([subject, ...blocks.map(({ text }) => text)].join('\n'), data.variables);
  const isChanged = !isSameContent(content, data.content);
  const { errors, translateError, problem } = useFormProps(failed);
  const hydrated = useHydrated();
  useUnsavedWarning(isChanged, { bySearch: true });
  const insert = (name: string): void => {
    const { id, from, to } = place.current;
    const put = (text: string): string => `${text.slice(0, from)}{{${name}}}${text.slice(to)}`;
    const end = from + name.length + 4;
    place.current = { id, from: end, to: end };
    if (id === 'subject') setSubject(put(subject));
    else setBlocks(blocks.map((each) => (each.id === id ? { ...each, text: put(each.text) } : each)));
  };
  const note = (id: Place['id'], { currentTarget }: SyntheticEvent<HTMLInputElement | HTMLTextAreaElement>): void => {
    place.current = { id, from: currentTarget.selectionStart ?? 0, to: currentTarget.selectionEnd ?? 0 };
  };
  return (
    <Form
      errors={errors}
      translateError={translateError}
      problem={problem}
      labels={{ subject: t('subject'), blocks: t('content'), name: t('ownName'), link: t('ownLink') }}
    >
      <FormKey />
      <input type="hidden" name="_locale" value={data.locale} />
      <input type="hidden" name="_revision" value={data.revision} />
      <div className="sp-mailedit">
        <div className="sp-stack">
          {children !== undefined && <Card title={t('ownAbout')}>{children}</Card>}
          <Card title={t('content')}>
            <Field label={t('subject')} name="subject" required>
              <TextInput
                maxLength={MAIL_SUBJECT_CHARS}
                {...(hydrated ? { value: subject } : { defaultValue: subject })}
                onChange={(event) => {
                  note('subject', event);
                  setSubject(event.currentTarget.value);
                }}
                onFocus={(event) => note('subject', event)}
                onSelect={(event) => note('subject', event)}
              />
            </Field>
            <Blocks blocks={blocks} onChange={setBlocks} onFocus={note} disabled={false} />
            <BlocksError code={errors.blocks} translate={translateError} />
          </Card>
          <Variables names={data.variables} unknown={unknown} onInsert={insert} />
        </div>
        <div className="sp-stack">
          <LivePreview data={data} content={content} answer={answer} choosesUser={choosesUser} />
          {data.original !== null && (
            <OwnDifference
              before={data.original}
              after={content}
              onReset={(original) => {
                setSubject(original.subject);
                setBlocks(toEdited(original.blocks));
              }}
            />
          )}
        </div>
      </div>
      <SaveBar
        what={unknown.length > 0 ? t('problems', { count: unknown.length }) : isChanged ? t('unsaved') : undefined}
        idle={unknown.length === 0 && !isChanged}
      >
        <noscript>
          <Button type="submit" name="_intent" value="preview" variant="ghost" icon="eye">
            {t('preview')}
          </Button>
        </noscript>
        <Button type="submit" name="_intent" value="test" variant="ghost" icon="send">
          {t('sendTest')}
        </Button>
        <Button type="submit" name="_intent" value="save" variant="primary">
          {t('save')}
        </Button>
      </SaveBar>
    </Form>
  );
}

/** What is wrong with the blocks together; the summary on top of the form leads here. */
function BlocksError({
  code,
  translate,
}: {
  code: string | undefined;
  translate: (code: string) => string;
}): ReactNode {
  const { formId, busy } = useFormErrors();
  if (code === undefined || busy) return null;
  return (
    <p className="sp-field__error" id={`${formId}-blocks`} tabIndex={-1}>
      {translate(code)}
    </p>
  );
}

/** The names that may stand in the mail: each puts itself in where the visitor last was. */
function Variables(props: {
  names: readonly string[];
  unknown: readonly string[];
  onInsert: (name: string) => void;
}): ReactNode {
  const t = useT('staffMails');
  const loose = useLooseT('staffMails');
  const hydrated = useHydrated();
  return (
    <Card title={t('variables')} text={t(hydrated ? 'variablesInsert' : 'variablesText')}>
      <ul className="sp-mailvars">
        {props.names.map((name) => (
          <li key={name}>
            {hydrated ? (
              <button
                type="button"
                className="sp-mailvar"
                title={loose(`variable.${name}`)}
                onClick={() => props.onInsert(name)}
              >
                {`{{${name}}}`}
              </button>
            ) : (
              <code className="sp-mailvar">{`{{${name}}}`}</code>
            )}
          </li>
        ))}
      </ul>
      {props.unknown.length > 0 && (
        <p className="sp-field__error" aria-live="polite">
          {t('unknownVariables', { names: props.unknown.join(' ') })}
        </p>
      )}
    </Card>
  );
}

/** How the content looks, made anew a moment after the last change. */
function LivePreview(props: {
  data: EditorData;
  content: MailContentView;
  answer: ContentAnswer | undefined;
  choosesUser: boolean;
}): ReactNode {
  const { data, content, answer, choosesUser } = props;
  const t = useT('staffMails');
  const [user, setUser] = useState('');
  const sentUser = useRef('');
  const fetcher = useFetcher<ContentAnswer>();
  const sent = useRef(data.content);
  const place = useRef<HTMLDivElement>(null);
  const text = JSON.stringify(content);
  // The preview lives on the server: it is asked for once nothing was typed for a moment.
  useEffect(() => {
    const wanted = JSON.parse(text) as MailContentView;
    if (isSameContent(wanted, sent.current) && user === sentUser.current) return;
    const timer = setTimeout(() => {
      sent.current = wanted;
      sentUser.current = user;
      const typed = place.current?.closest('form');
      const form = typed ? new FormData(typed) : new FormData();
      form.set('_intent', 'preview');
      form.set('subject', wanted.subject);
      form.delete('kind');
      form.delete('text');
      for (const block of wanted.blocks) {
        form.append('kind', block.kind);
        form.append('text', block.text);
      }
      void fetcher.submit(form, { method: 'post' });
    }, PREVIEW_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, user, fetcher]);
  const shown =
    fetcher.data?.kind === 'preview'
      ? fetcher.data.preview
      : answer?.kind === 'preview'
        ? answer.preview
        : data.preview;
  const isUnknown = fetcher.data?.kind === 'failed' && fetcher.data.fields?.user !== undefined;
  return (
    <div ref={place} className="sp-stack">
      {choosesUser && (
        <Card title={t('previewUser')} text={t('previewUserText')}>
          <Field label={t('user')} name="user">
            <TextInput
              maxLength={254}
              autoComplete="off"
              defaultValue=""
              onChange={(event) => setUser(event.currentTarget.value)}
            />
          </Field>
          <p className="sp-field__error" aria-live="polite">
            {isUnknown && user !== '' ? t('previewUserUnknown') : ''}
          </p>
        </Card>
      )}
      <MailPreview preview={shown} title={t('preview')} text={user === '' ? t('previewText') : user} first="phone" />
    </div>
  );
}

/** What differs from the product's own content, and the way back. */
function OwnDifference(props: {
  before: MailContentView;
  after: MailContentView;
  onReset: (original: MailContentView) => void;
}): ReactNode {
  const t = useT('staffMails');
  const hydrated = useHydrated();
  const lines = differenceOf(props.before, props.after);
  if (lines.length === 0) return null;
  return (
    <Card
      title={t('difference')}
      text={t('differenceText')}
      aside={
        hydrated ? (
          <Button size="sm" variant="ghost" icon="undo" onClick={() => props.onReset(props.before)}>
            {t('useOriginal')}
          </Button>
        ) : undefined
      }
    >
      <Difference label={t('difference')} lines={lines} />
    </Card>
  );
}
