import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox, Radio, Switch } from '#client/ui/choice.tsx';
import { FieldGroup } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { NameBadge } from '#client/ui/name-badge.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { AVATARS, BACKGROUNDS, BADGES, PROFILE_FIELDS, type Privacy } from '#shared/profile.ts';
import { href } from '#shared/routes/href.ts';

interface PrivacyTabProps {
  /** With the badges to choose from: that of the role, and `supporter` where there is one of early supporters. */
  privacy: Privacy & { role: { name: string; color: string }; supporter: boolean };
  answer: FormResult<null> | undefined;
}

/** What others see of the visitor, and where (behaviour 3.8, 7.2). */
export function PrivacyTab({ privacy, answer }: PrivacyTabProps): ReactNode {
  const t = useT('community');
  const shown = useFormProps(answer);
  const { session, flags } = useShell();
  return (
    <Card
      title={t('privacyTitle')}
      text={t('privacyText')}
      aside={
        flags.allow_public_profiles &&
        session.user && <TextLink to={href('profile', { id: session.user.id })}>{t('seeProfile')}</TextLink>
      }
    >
      <Form {...shown} noValidate>
        <input type="hidden" name="_intent" value="privacy" />
        {answer?.ok && (
          <Banner tone="positive" live>
            {t('privacySaved')}
          </Banner>
        )}
        <Switch
          name="leaderboard"
          label={t('onLeaderboard')}
          hint={t('onLeaderboardHint')}
          defaultChecked={privacy.leaderboard}
        />
        <Switch name="profile" label={t('onProfile')} hint={t('onProfileHint')} defaultChecked={privacy.profile} />
        <FieldGroup label={t('fieldsLabel')} hint={t('fieldsHint')}>
          <div className="sp-privacy__choices">
            {PROFILE_FIELDS.filter((field) => field !== 'supporter' || privacy.supporter).map((field) => (
              <Checkbox key={field} name="fields" value={field} defaultChecked={privacy.fields.includes(field)}>
                {t(`field.${field}`)}
              </Checkbox>
            ))}
            {/* Who has no badge keeps their choice for the day they get one. */}
            {!privacy.supporter && privacy.fields.includes('supporter') && (
              <input type="hidden" name="fields" value="supporter" />
            )}
          </div>
        </FieldGroup>
        <FieldGroup label={t('badgeLabel')} hint={t('badgeHint')}>
          <div className="sp-privacy__choices">
            {BADGES.filter((badge) => badge !== 'supporter' || privacy.supporter).map((badge) => (
              <Radio key={badge} name="badge" value={badge} defaultChecked={privacy.badge === badge}>
                {badge === 'none' ? (
                  t('noBadge')
                ) : (
                  <NameBadge badge={{ kind: badge, role: badge === 'role' ? privacy.role : null }} />
                )}
              </Radio>
            ))}
          </div>
        </FieldGroup>
        <FieldGroup label={t('avatarLabel')} hint={t('avatarHint')}>
          <div className="sp-privacy__choices">
            {AVATARS.map((avatar) => (
              <Radio key={avatar} name="avatar" value={avatar} defaultChecked={privacy.avatar === avatar}>
                {t(`avatar.${avatar}`)}
              </Radio>
            ))}
          </div>
        </FieldGroup>
        <FieldGroup label={t('backgroundLabel')}>
          <div className="sp-privacy__choices">
            {BACKGROUNDS.map((background) => (
              <Radio
                key={background}
                name="background"
                value={background}
                defaultChecked={privacy.background === background}
              >
                {t(`background.${background}`)}
              </Radio>
            ))}
          </div>
        </FieldGroup>
        <div className="sp-btn-row">
          <Button type="submit" variant="primary">
            {t('savePrivacy')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
