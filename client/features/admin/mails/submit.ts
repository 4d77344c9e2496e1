import type { ActionFunctionArgs } from 'react-router';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import type { MailContentView, MailPreviewView } from '#shared/contract/mail-templates.ts';
import { toLocale, type Locale } from '#shared/i18n/locales.ts';
import { readContent } from './content.ts';

/** What the form of a mail's content answers. */
export type ContentAnswer =
  | { readonly kind: 'preview'; readonly preview: MailPreviewView; readonly content: MailContentView }
  | { readonly kind: 'saved'; readonly ok: true; readonly at: string }
  | {
      readonly kind: 'tested';
      readonly ok: true;
      readonly at: string;
      readonly mail: string;
      readonly content: MailContentView;
    }
  | ({ readonly kind: 'failed'; readonly content: MailContentView } & FormFailure);

interface Sent {
  readonly form: FormData;
  readonly locale: Locale;
  readonly content: MailContentView;
  /** What a command is sent with, so that it happens once. */
  readonly key: { readonly key?: string };
}
interface ContentCommands {
  readonly preview: (sent: Sent) => Promise<{ readonly preview: MailPreviewView }>;
  readonly test: (sent: Sent) => Promise<{ readonly mail: string }>;
  readonly save: (sent: Sent) => Promise<unknown>;
}

/** Stores the content that a form says, sends it to the visitor, or shows how it looks. */
export async function submitContent(
  { request }: ActionFunctionArgs,
  commands: ContentCommands,
): Promise<ContentAnswer> {
  const form = await request.formData();
  const content = readContent(form);
  const at = String(form.get('_key') ?? '');
  const key = at === '' ? {} : { key: `${at}-${String(form.get('_intent'))}`.slice(0, 200) };
  const sent = { form, locale: toLocale(String(form.get('_locale') ?? '')), content, key };
  try {
    switch (form.get('_intent')) {
      case 'preview':
        return { kind: 'preview', content, preview: (await commands.preview(sent)).preview };
      case 'test':
        return { kind: 'tested', ok: true, at, content, mail: (await commands.test(sent)).mail };
      default:
        await commands.save(sent);
        return { kind: 'saved', ok: true, at };
    }
  } catch (error) {
    return { kind: 'failed', ...toFormFailure(error, form), content };
  }
}
