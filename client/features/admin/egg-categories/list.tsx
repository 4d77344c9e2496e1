import { listScreen } from '#client/resource/list.tsx';
import { eggCategories } from '#shared/resources/egg-categories.ts';

const screen = listScreen(eggCategories, (api) => api.adminEggCategories);
export const { loader, action } = screen;
export default screen.Screen;
