import { splitDevice } from '#shared/device.ts';
import { useT } from './i18n.tsx';

/**
 * Names a device in the reader's language, `Firefox on Android`; `''` when nothing is known of it. In: the device as an
 * answer carries it.
 */
export function useDeviceText(): (device: string) => string {
  const t = useT('ui');
  return (device) => {
    const { browser, system } = splitDevice(device);
    return system ? t('device', { browser, system }) : browser;
  };
}
