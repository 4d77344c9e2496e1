import type { ReactNode } from 'react';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { FileInput } from '#client/ui/file-input.tsx';
import { Form } from '#client/ui/form.tsx';
import { SKIN_MAX_BYTES, SKIN_TYPE } from '#shared/skin.ts';
import type { SkinResult } from './skin-action.ts';

/** Uploads the skin of the profile card, or goes back to the default one. */
export function SkinCard({ chosen, answer }: { chosen: boolean; answer: SkinResult | undefined }): ReactNode {
  const t = useT('account');
  const shown = useFormProps(answer);
  return (
    <Card title={t('skinTitle')} text={t('skinText')}>
      {answer?.ok && (
        <Banner tone="positive" live>
          {answer.result === 'put' ? t('skinSaved') : t('skinRemoved')}
        </Banner>
      )}
      <Form {...shown} labels={{ skin: t('skinFile') }} encType="multipart/form-data">
        <input type="hidden" name="_intent" value="skin" />
        <Field label={t('skinFile')} name="skin" hint={t('skinHint', { kb: SKIN_MAX_BYTES / 1024 })} required>
          <FileInput accept={SKIN_TYPE} />
        </Field>
        <div className="sp-btn-row">
          <Button type="submit" icon="upload">
            {t('skinUpload')}
          </Button>
        </div>
      </Form>
      {chosen && (
        <Form noSummary>
          <input type="hidden" name="_intent" value="removeSkin" />
          <Button type="submit" variant="ghost" icon="reset">
            {t('skinRemove')}
          </Button>
        </Form>
      )}
    </Card>
  );
}
