import { listScreen } from '#client/resource/list.tsx';
import { storeItems } from '#shared/resources/store-items.ts';
import { overrides } from './overrides.tsx';

const screen = listScreen(storeItems, (api) => api.adminStoreItems, overrides);
export const { loader, action } = screen;
export default screen.Screen;
