import { useState } from 'react';
import type { ReactNode } from 'react';
import { useLoaderData, useSubmit } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Switch } from '#client/ui/choice.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import type { ConfirmOptions } from '#client/ui/dialogs.ts';
import { dialogs } from '#client/ui/dialogs.ts';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { Icon } from '#client/ui/icon.tsx';
import type { IconName } from '#client/ui/icons.ts';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { isHexColour } from '#shared/hex-colour.ts';
import { EMBED_TEXT_MAX } from '#shared/images.ts';
import { OWN_ACCENT } from '#shared/themes.ts';
import { imageEmbedInput, type ImageEmbedInput } from '#shared/schemas/image.ts';

/** The key, and how links look. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).images.config();
}
type Data = Awaited<ReturnType<typeof loader>>;
interface FreshKey {
  readonly key: string;
  readonly config: { readonly filename: string; readonly text: string };
}
type Answer =
  | { readonly intent: 'key'; readonly result: FormResult<FreshKey> }
  | { readonly intent: 'removeKey' | 'embed'; readonly result: FormResult<null> };

/** Makes a key, removes it, or saves how links look. */
export async function action(args: ActionFunctionArgs): Promise<Answer | Response> {
  const api = apiOf(args);
  const form = await args.request.clone().formData();
  const intent = form.get('_intent');
  if (intent !== 'key' && intent !== 'removeKey') {
    const result = await submitForm(args.request, imageEmbedInput, async (body) => {
      await api.images.setEmbed({ body });
      return null;
    });
    return result instanceof Response ? result : { intent: 'embed', result };
  }
  try {
    if (intent === 'key') return { intent, result: { ok: true, result: await api.images.createKey(), at: '' } };
    await api.images.deleteKey();
    return { intent, result: { ok: true, result: null, at: '' } };
  } catch (error) {
    return { intent, result: toFormFailure(error, form) };
  }
}

/** /images/config (behaviour 5.5) */
export default function ImagesConfigScreen(): ReactNode {
  const t = useT('images');
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Answer>();
  return (
    <Page>
      <PageHead title={t('configTitle')} text={t('configText')} crumbs={useCrumbs()} />
      {answer?.intent === 'key' && answer.result.ok && <FreshCard fresh={answer.result.result} />}
      {answer?.intent === 'removeKey' && answer.result.ok && (
        <Banner tone="positive" live>
          {t('keyRemoved')}
        </Banner>
      )}
      <div className="sp-imgconf">
        <Programs data={data} answer={answer?.intent === 'embed' ? undefined : answer} />
        <EmbedCard embed={data.embed} answer={answer?.intent === 'embed' ? answer.result : undefined} />
      </div>
    </Page>
  );
}

/** A key just made, and the file that holds it, shown this once. */
function FreshCard({ fresh: { key, config } }: { fresh: FreshKey }): ReactNode {
  const t = useT('images');
  // Its own bytes stand in the address: nothing of it is asked for again.
  const address = `data:application/octet-stream;charset=utf-8,${encodeURIComponent(config.text)}`;
  return (
    <section className="sp-card sp-fresh" aria-live="polite">
      <div className="sp-card__body">
        <h2>{t('freshTitle')}</h2>
        <p className="sp-small">{t('freshText')}</p>
        <p className="sp-fresh__token">
          <CopyButton text={key} what={t('key')}>
            <code>{key}</code>
          </CopyButton>
        </p>
        <a className="sp-btn" data-variant="primary" href={address} download={config.filename}>
          <Icon name="download" size="sm" />
          {t('download', { file: config.filename })}
        </a>
      </div>
    </section>
  );
}

/** A command for a terminal. In: the address that files are sent to. */
function toSample(uploadUrl: string): string {
  return `curl ${uploadUrl} \\\n  -H "Authorization: Bearer $UPLOAD_KEY" \\\n  -F file=@screenshot.png`;
}

function Programs({ data, answer }: { data: Data; answer: Answer | undefined }): ReactNode {
  const t = useT('images');
  const format = useFormat();
  const nowMs = useNow(60_000);
  const { key, upload_url: uploadUrl } = data;
  const failed = answer && !answer.result.ok ? answer.result : undefined;
  const shown = useFormProps(failed);
  return (
    <div className="sp-stack">
      <Card title={t('sharex')} text={t('sharexText')}>
        <ol className="sp-imgconf__steps">
          <li>{t('step1')}</li>
          <li>{t('step2')}</li>
          <li>{t('step3')}</li>
        </ol>
        <Facts
          items={[
            { label: t('key'), value: key ? t('keyEnds', { tail: key.tail }) : t('keyNone') },
            ...(key
              ? [
                  { label: t('keyMade'), value: format.relative(key.created_at, nowMs) },
                  {
                    label: t('keyUsed'),
                    value: key.used_at === null ? t('never') : format.relative(key.used_at, nowMs),
                  },
                ]
              : []),
          ]}
        />
        <Form {...shown}>
          <KeyButtons hasKey={key !== null} />
        </Form>
      </Card>
      <Card title={t('otherTitle')} text={t('otherText')}>
        <pre className="sp-fresh__sample">
          <code>{toSample(uploadUrl)}</code>
        </pre>
      </Card>
    </div>
  );
}

/** Makes a key, or takes it away; what stops something asks first. */
function KeyButtons({ hasKey }: { hasKey: boolean }): ReactNode {
  const t = useT('images');
  if (!hasKey)
    return (
      <div className="sp-btn-row">
        <Button type="submit" variant="primary" icon="key" name="_intent" value="key">
          {t('makeKey')}
        </Button>
      </div>
    );
  return (
    <div className="sp-btn-row">
      <AskedButton
        intent="key"
        icon="refresh"
        label={t('newKey')}
        ask={{ title: t('newKeyAsk'), text: t('newKeyText'), ok: t('newKeySure'), tone: 'danger' }}
      />
      <AskedButton
        intent="removeKey"
        icon="trash"
        label={t('removeKey')}
        ask={{ title: t('removeKeyAsk'), text: t('removeKeyText'), ok: t('removeKeySure'), tone: 'danger' }}
      />
    </div>
  );
}

interface AskedButtonProps {
  readonly intent: string;
  readonly icon: IconName;
  readonly label: string;
  readonly ask: ConfirmOptions;
}
/** Submits its form with an intent, once the question is answered. */
function AskedButton({ intent, icon, label, ask }: AskedButtonProps): ReactNode {
  const submit = useSubmit();
  const send = async (): Promise<void> => {
    if (await dialogs.confirm(ask)) await submit({ _intent: intent }, { method: 'post' });
  };
  return (
    <Button
      type="submit"
      size="sm"
      icon={icon}
      name="_intent"
      value={intent}
      onClick={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {label}
    </Button>
  );
}

/** How links look elsewhere, with a preview of what is typed. */
function EmbedCard({ embed, answer }: { embed: ImageEmbedInput; answer: FormResult<null> | undefined }): ReactNode {
  const t = useT('images');
  const shown = useFormProps(answer, ['title', 'description', 'author', 'color']);
  const [typed, setTyped] = useState(embed);
  const labels = {
    title: t('embedHeading'),
    description: t('embedDescription'),
    author: t('embedAuthor'),
    color: t('embedColor'),
  };
  return (
    <Card title={t('embedTitle')} text={t('embedText')}>
      <Form
        {...shown}
        labels={labels}
        onInput={({ currentTarget }) => {
          const form = new FormData(currentTarget);
          const text = (name: string) => String(form.get(name) ?? '');
          setTyped({
            enabled: form.get('enabled') === 'on',
            title: text('title'),
            description: text('description'),
            author: text('author'),
            color: text('color'),
          });
        }}
      >
        {answer?.ok && (
          <Banner tone="positive" live>
            {t('saved')}
          </Banner>
        )}
        <Switch name="enabled" label={t('embedOn')} hint={t('embedOnHint')} defaultChecked={embed.enabled} />
        <Field label={labels.title} name="title" hint={t('embedHeadingHint')} optional>
          <TextInput defaultValue={embed.title} maxLength={EMBED_TEXT_MAX.title} autoComplete="off" />
        </Field>
        <Field label={labels.description} name="description" optional>
          <TextInput defaultValue={embed.description} maxLength={EMBED_TEXT_MAX.description} autoComplete="off" />
        </Field>
        <Field label={labels.author} name="author" hint={t('embedAuthorHint')} optional>
          <TextInput defaultValue={embed.author} maxLength={EMBED_TEXT_MAX.author} autoComplete="off" />
        </Field>
        <Field label={labels.color} name="color" hint={t('embedColorHint')} optional>
          <TextInput mono defaultValue={embed.color} maxLength={7} placeholder={OWN_ACCENT.dark} autoComplete="off" />
        </Field>
        {typed.enabled && <Preview embed={typed} />}
        <div className="sp-btn-row">
          <Button type="submit" variant="primary">
            {t('save')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

function Preview({ embed: { title, description, author, color } }: { embed: ImageEmbedInput }): ReactNode {
  const t = useT('images');
  const { settings, session } = useShell();
  const name = session.user?.username ?? '';
  return (
    <figure className="sp-embed" aria-label={t('preview')}>
      {/* An attribute of a drawing, because the page allows no style attributes. */}
      <svg className="sp-embed__edge" preserveAspectRatio="none" viewBox="0 0 1 1" aria-hidden="true">
        <rect width="1" height="1" fill={isHexColour(color) ? color : OWN_ACCENT.dark} />
      </svg>
      <span className="sp-embed__by">{author || `${name} · ${String(settings.app_name ?? '')}`}</span>
      <b>{title || t('previewFile')}</b>
      {description !== '' && <p>{description}</p>}
      <span className="sp-embed__picture">
        <Icon name="image" size="lg" />
      </span>
    </figure>
  );
}
