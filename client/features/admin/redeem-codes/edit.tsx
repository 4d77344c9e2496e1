import { editScreen } from '#client/resource/form.tsx';
import { redeemCodes } from '#shared/resources/redeem-codes.ts';
import { overrides } from './overrides.tsx';

const screen = editScreen(redeemCodes, (api) => api.adminRedeemCodes, overrides);
export const { loader, action, pageName } = screen;
export default screen.Screen;
