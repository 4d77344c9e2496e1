import { fieldErrors } from '#shared/validation.ts';
import type { FieldErrors } from '#shared/errors.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { announcementInput, type AnnouncementInput } from '#shared/schemas/announcement.ts';
import { iso } from '#shared/time.ts';
import { wallTime, wallTimeToMs } from '#shared/zoned.ts';

/** A text of a form; '' where it has none. */
const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

/** The languages in which something is written. */
function textsOf(form: FormData) {
  return LOCALES.map((locale) => ({
    locale,
    title: textOf(form, `title.${locale}`),
    summary: textOf(form, `summary.${locale}`),
    body: textOf(form, `body.${locale}`),
  })).filter(({ title, summary, body }) => title !== '' || summary !== '' || body !== '');
}

/**
 * A moment of a form, which is wall time in the zone of `_zone`; null where there is none. One that nobody touched is
 * as it was, with the seconds that the control does not show.
 */
function momentOf(form: FormData, name: string): string | null {
  const wall = textOf(form, name);
  const was = textOf(form, `_${name}`);
  const zone = textOf(form, '_zone') || 'UTC';
  if (wall === '') return null;
  if (was !== '' && wallTime(Date.parse(was), zone) === wall) return was;
  // What is no time stays as it is, and the schema refuses it.
  return iso(wallTimeToMs(wall, zone)) ?? wall;
}

/** What a form says of an announcement, or what is wrong with it, by field of the form. */
export function readAnnouncement(form: FormData): AnnouncementInput | { readonly fields: FieldErrors } {
  const texts = textsOf(form);
  const audience = textOf(form, 'audience');
  const publish = textOf(form, 'publish');
  const raw = {
    texts,
    tags: textOf(form, 'tags')
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    picture: textOf(form, 'picture'),
    audience,
    targets: form.getAll(`targets.${audience}`).map(String),
    pinned: form.get('pinned') === 'on',
    urgent: form.get('urgent') === 'on',
    notifies: form.get('notifies') === 'on',
    mails: form.get('mails') === 'on',
    pushes: form.get('pushes') === 'on',
    publish_at: publish === 'now' ? 'now' : publish === 'at' ? momentOf(form, 'publish_at') : null,
    end_at: momentOf(form, 'end_at'),
  };
  const parsed = announcementInput.safeParse(raw, { reportInput: true });
  const fields = parsed.success ? {} : toFormFields(fieldErrors(parsed.error), texts, textOf(form, '_locale'));
  // Without a time it would be a draft, which is not what was chosen.
  if (publish === 'at' && raw.publish_at === null) fields.publish_at = ['REQUIRED'];
  return parsed.success && Object.keys(fields).length === 0 ? parsed.data : { fields };
}

/** Errors by field of the input, at the fields of the form: `texts.0.title` is `title.<language>`. */
function toFormFields(
  errors: FieldErrors,
  texts: readonly { readonly locale: string }[],
  mainLocale: string,
): FieldErrors {
  const fields: FieldErrors = {};
  for (const [path, codes] of Object.entries(errors)) {
    const [first = '', index = '', field = ''] = path.split('.');
    const locale = texts[Number(index)]?.locale;
    if (first === 'texts') fields[locale === undefined ? `title.${mainLocale}` : `${field}.${locale}`] = codes;
    else fields[first] = codes;
  }
  return fields;
}
