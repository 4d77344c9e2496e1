import { editScreen } from '#client/resource/form.tsx';
import { eggCategories } from '#shared/resources/egg-categories.ts';

const screen = editScreen(eggCategories, (api) => api.adminEggCategories);
export const { loader, action, pageName } = screen;
export default screen.Screen;
