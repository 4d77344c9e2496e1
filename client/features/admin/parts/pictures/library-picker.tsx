import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useApi } from '#client/lib/use-api.ts';
import { Button } from '#client/ui/button.tsx';
import { Dialog } from '#client/ui/dialog.tsx';
import { EmptyState, ErrorState } from '#client/ui/empty-state.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { SkeletonRows } from '#client/ui/skeleton.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import type { LibraryImageView } from '#shared/contract/admin-images.ts';
import { IMAGE_CHOICES } from '#shared/images.ts';
import type { PictureKind } from '#shared/pictures.ts';
import { UploadButton, UploadProblem } from './upload-button.tsx';
import { useUpload } from './use-upload.ts';

export interface PickerProps {
  readonly kind: PictureKind;
  readonly onClose: () => void;
  readonly onChoose: (id: string, name: string) => void;
}
/** How long after the last letter is searched, in ms. */
const PAUSE_MS = 250;

/**
 * The library of the host's own pictures over the page: a grid to search and choose from, with arrow keys as well, and
 * a way to add to it. What is chosen is drawn as a picture of the kind before the dialog closes.
 */
export function LibraryPicker({ kind, onClose, onChoose }: PickerProps): ReactNode {
  const t = useT('libraryImages');
  const { permissions } = useShell().session;
  const formId = useId();
  const [search, setSearch] = useState('');
  const { found, isLoading, hasFailed, more, again, add } = useLibrary(search);
  const [chosen, setChosen] = useState<LibraryImageView | null>(null);
  const isShown = found?.some(({ id }) => id === chosen?.id) ?? false;
  const drawing = useUpload<string>(onChoose);
  const adding = useUpload<LibraryImageView>((image) => {
    setSearch('');
    add(image);
    setChosen(image);
  });
  const draw = (image: LibraryImageView): Promise<boolean> =>
    drawing.run(async (api) => (await api.adminImages.draw({ params: { id: image.id, kind } })).id, image.name);
  return (
    <Dialog
      open
      apart
      wide
      title={t('pick')}
      onClose={onClose}
      locked={drawing.state === 'busy'}
      foot={
        <>
          <UploadProblem state={drawing.state} />
          <Button variant="ghost" onClick={onClose}>
            {t('pickCancel')}
          </Button>
          <Button variant="primary" type="submit" form={formId} disabled={!isShown} busy={drawing.state === 'busy'}>
            {t('pickUse')}
          </Button>
        </>
      }
    >
      <div className="sp-picker">
        <div className="sp-picker__bar">
          <span className="sp-input-group" data-icon="">
            <Icon name="search" size="sm" />
            <TextInput
              type="search"
              aria-label={t('search')}
              placeholder={t('search')}
              value={search}
              maxLength={100}
              data-autofocus
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
          </span>
          {can(permissions, 'admin.images.create') && (
            <UploadButton
              label={t(adding.state === 'busy' ? 'adding' : 'add')}
              icon="upload"
              accept={IMAGE_CHOICES}
              state={adding.state}
              onChoose={(file) =>
                void adding.upload(
                  file,
                  async (api, body) => (await api.adminImages.create({ query: { name: file.name }, body })).image,
                )
              }
            />
          )}
        </div>
        <UploadProblem state={adding.state} />
        {hasFailed ? (
          <ErrorState onRetry={again} />
        ) : found === null ? (
          <SkeletonRows rows={3} label={t('pick')} />
        ) : found.length === 0 ? (
          <NothingFound isSearch={search.trim() !== ''} />
        ) : (
          <Tiles
            images={found}
            chosen={chosen?.id ?? null}
            onChoose={setChosen}
            formId={formId}
            onTake={() => chosen && void draw(chosen)}
          />
        )}
        {more && (
          <Button size="sm" variant="ghost" busy={isLoading} onClick={more}>
            {t('pickMore')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function NothingFound({ isSearch }: { isSearch: boolean }): ReactNode {
  const t = useT('libraryImages');
  const shared = useT('images');
  return isSearch ? (
    <EmptyState art="search" title={shared('nothing')} text={shared('nothingText')} />
  ) : (
    <EmptyState art="image" title={t('empty')} text={t('pickEmptyText')} />
  );
}

/** The pictures as radio buttons, so that arrow keys go through them; Enter takes the chosen one. */
function Tiles(props: {
  readonly images: readonly LibraryImageView[];
  readonly chosen: string | null;
  readonly onChoose: (image: LibraryImageView) => void;
  readonly formId: string;
  readonly onTake: () => void;
}): ReactNode {
  const { images, chosen, onChoose, formId, onTake } = props;
  const t = useT('libraryImages');
  const shared = useT('images');
  const format = useFormat();
  const name = useId();
  return (
    <form
      id={formId}
      className="sp-picker__form"
      onSubmit={(event) => {
        event.preventDefault();
        // Through the portal, the form that it was opened from would hear of it as well.
        event.stopPropagation();
        onTake();
      }}
    >
      <fieldset className="sp-picker__grid">
        <legend className="sp-sr">{t('title')}</legend>
        {images.map((image) => (
          <label key={image.id} className="sp-picker__tile">
            <input type="radio" name={name} checked={image.id === chosen} onChange={() => onChoose(image)} />
            <img
              src={image.forms[0]?.url}
              srcSet={image.forms.map((form) => `${form.url} ${form.width}w`).join(', ')}
              sizes="(max-width: 767px) 42vw, 11rem"
              alt=""
              loading="lazy"
              decoding="async"
            />
            <span className="sp-truncate" title={image.name}>
              {image.name}
            </span>
            <small>
              {shared('size', { width: image.width, height: image.height })} · {format.date(image.created_at)}
            </small>
          </label>
        ))}
      </fieldset>
    </form>
  );
}

/** What of the library has a name that holds a text, a page at a time. `found` null: not known yet. */
function useLibrary(search: string) {
  const api = useApi();
  const [found, setFound] = useState<readonly LibraryImageView[] | null>(null);
  const [older, setOlder] = useState<string | null>(null);
  const [isLoading, setLoading] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const asked = useRef(0);
  const load = async (after: string | null): Promise<void> => {
    if (!api) return;
    const own = (asked.current += 1);
    setLoading(true);
    setFailed(false);
    try {
      const query = { q: search.trim(), ...(after === null ? {} : { after }) };
      const page = await api.adminImages.list({ query });
      // A later question has its own answer.
      if (own !== asked.current) return;
      setFound((before) => (after === null ? page.rows : [...(before ?? []), ...page.rows]));
      setOlder(page.older);
      setLoading(false);
    } catch {
      if (own !== asked.current) return;
      setLoading(false);
      setFailed(true);
    }
  };
  const first = useRef(load);
  useEffect(() => {
    first.current = load;
  });
  // An effect, because what is typed is asked for after a pause.
  useEffect(() => {
    const timer = setTimeout(() => void first.current(null), search === '' ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [search]);
  return {
    found,
    isLoading,
    hasFailed,
    more: older === null || hasFailed ? null : () => void load(older),
    again: () => void load(null),
    add: (image: LibraryImageView) =>
      setFound((before) => [image, ...(before ?? []).filter(({ id }) => id !== image.id)]),
  };
}
