import { createScreen } from '#client/resource/form.tsx';
import { storeItems } from '#shared/resources/store-items.ts';
import { overrides } from './overrides.tsx';

const screen = createScreen(storeItems, (api) => api.adminStoreItems, overrides);
export const { loader, action } = screen;
export default screen.Screen;
