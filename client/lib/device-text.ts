import { splitDevice } from '#shared/device.ts';
import { useT } from './i18n.tsx';

/**
 * Formats a device in the visitor's language, `Firefox on Android`; `''` when it is unknown. In: the device as the API
 * returns it.
 */
export function useDeviceText(): (device: string) => string {
  const t = useT('ui');
  return (device) => {
    const { browser, system } = splitDevice(device);
    return system ? t('device', { browser, system }) : browser;
  };
}
