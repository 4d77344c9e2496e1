import { deleteScreen } from '#client/resource/delete.tsx';
import { storeItems } from '#shared/resources/store-items.ts';
import { overrides } from './overrides.tsx';

const screen = deleteScreen(storeItems, (api) => api.adminStoreItems, overrides);
export const { loader, action, pageName } = screen;
export default screen.Screen;
