import { useRef } from 'react';
import type { ReactNode, RefObject } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useFileDrop } from '#client/lib/use-file-drop.ts';
import { useScripted } from '#client/lib/use-hydrated.ts';
import { Button } from '#client/ui/button.tsx';
import { Field } from '#client/ui/field.tsx';
import { Textarea, TextInput } from '#client/ui/text-input.tsx';
import { ANNOUNCEMENT_BODY_MAX, ANNOUNCEMENT_SUMMARY_MAX, ANNOUNCEMENT_TITLE_MAX } from '#shared/announcements.ts';
import { can } from '#shared/can.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { pictureUrl } from '#shared/picture-url.ts';
import { LibraryButton } from '../parts/pictures/library-button.tsx';
import { UploadButton, UploadProblem } from '../parts/pictures/upload-button.tsx';
import { useUpload } from '../parts/pictures/use-upload.ts';

/** What is written in one language. */
export interface TextValues {
  readonly title: string;
  readonly summary: string;
  readonly body: string;
}

/** The fields of an announcement in one language. `required`: it is the language that must be written. */
export function TextFields(props: {
  readonly locale: Locale;
  readonly values: TextValues;
  readonly required: boolean;
}): ReactNode {
  const t = useT('staffAnnouncements');
  const { locale, values, required } = props;
  return (
    <div className="sp-newsedit__language">
      <Field
        label={t('title')}
        name={`title.${locale}`}
        required={required}
        counter={ANNOUNCEMENT_TITLE_MAX}
        length={values.title.length}
      >
        <TextInput maxLength={ANNOUNCEMENT_TITLE_MAX} defaultValue={values.title} autoComplete="off" />
      </Field>
      <Field
        label={t('summary')}
        name={`summary.${locale}`}
        optional
        counter={ANNOUNCEMENT_SUMMARY_MAX}
        length={values.summary.length}
        hint={t('summaryHint')}
      >
        <Textarea rows={2} maxLength={ANNOUNCEMENT_SUMMARY_MAX} defaultValue={values.summary} />
      </Field>
      <BodyField locale={locale} body={values.body} required={required} />
    </div>
  );
}

/** What a button of the tools puts around the selection. */
const TOOLS = [
  { id: 'bold', sign: 'B', before: '**', after: '**' },
  { id: 'italic', sign: 'I', before: '*', after: '*' },
  { id: 'heading', sign: 'H', before: '\n## ', after: '' },
  { id: 'list', sign: '•', before: '\n- ', after: '' },
  { id: 'link', sign: '↗', before: '[', after: '](https://)' },
  { id: 'code', sign: '</>', before: '`', after: '`' },
] as const;

/** The text in Markdown, with buttons for its signs; pictures are chosen, dropped or pasted. */
function BodyField({ locale, body, required }: { locale: Locale; body: string; required: boolean }): ReactNode {
  const t = useT('staffAnnouncements');
  const scripted = useScripted();
  const { permissions } = useShell().session;
  const area = useRef<HTMLTextAreaElement>(null);
  const place = (id: string, name: string) => insert(area, `![${toWords(name)}](${pictureUrl(id, 'wide')})`, '');
  const { state, upload } = useUpload(place);
  const send = (file: File) =>
    upload(file, async (api, sent) => (await api.adminAnnouncements.addPicture({ body: sent })).id);
  const takes = can(permissions, 'admin.announcements.edit');
  // One after the other, up to the first that is refused: what was wrong with it stays in sight.
  const sendAll = async (files: readonly File[]): Promise<void> => {
    for (const file of files) if (!(await send(file))) return;
  };
  const { drop, onPaste } = useFileDrop(takes ? (files) => void sendAll(files) : null);
  return (
    <>
      <Field
        label={t('body')}
        name={`body.${locale}`}
        required={required}
        hint={t(takes ? 'bodyHintPictures' : 'bodyHint')}
      >
        <Textarea
          ref={area}
          rows={14}
          mono
          maxLength={ANNOUNCEMENT_BODY_MAX}
          defaultValue={body}
          {...drop}
          {...(onPaste ? { onPaste } : {})}
        />
      </Field>
      <fieldset className="sp-newsedit__tools" {...scripted}>
        <legend className="sp-sr">{t('tools')}</legend>
        {TOOLS.map(({ id, sign, before, after }) => (
          <Button
            key={id}
            size="sm"
            variant="ghost"
            title={t(`tool.${id}`)}
            onClick={() => insert(area, before, after)}
          >
            <span aria-hidden="true">{sign}</span>
            <span className="sp-sr">{t(`tool.${id}`)}</span>
          </Button>
        ))}
        {takes && (
          <span className="sp-newsedit__pictures">
            <UploadButton
              label={t(state === 'busy' ? 'pictureBusy' : 'pictureInsert')}
              state={state}
              onChoose={(file) => void send(file)}
            />
            <LibraryButton kind="announcement" label={t('pictureLibrary')} onChoose={place} />
          </span>
        )}
      </fieldset>
      <UploadProblem state={state} />
    </>
  );
}

/** The description that a picture begins with: its file's name without what would end it. */
const toWords = (name: string): string =>
  name
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[[\]()\\`*_<>!]/g, ' ')
    .trim();

/** Puts text around the selection of a field; the field hears of it as it hears of typing. */
function insert(area: RefObject<HTMLTextAreaElement | null>, before: string, after: string): void {
  const field = area.current;
  if (!field) return;
  const { selectionStart: from, selectionEnd: to, value } = field;
  // What begins a line needs no empty one before it.
  const begin = before.startsWith('\n') && (from === 0 || value[from - 1] === '\n') ? before.slice(1) : before;
  field.setRangeText(`${begin}${value.slice(from, to)}${after}`, from, to, 'end');
  if (from === to) field.selectionStart = field.selectionEnd = from + begin.length;
  field.focus();
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
