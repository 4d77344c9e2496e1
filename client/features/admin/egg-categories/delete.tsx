import { deleteScreen } from '#client/resource/delete.tsx';
import { eggCategories } from '#shared/resources/egg-categories.ts';

const screen = deleteScreen(eggCategories, (api) => api.adminEggCategories);
export const { loader, action, pageName } = screen;
export default screen.Screen;
