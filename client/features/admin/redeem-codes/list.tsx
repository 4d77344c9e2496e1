import { listScreen } from '#client/resource/list.tsx';
import { redeemCodes } from '#shared/resources/redeem-codes.ts';
import { overrides } from './overrides.tsx';

const screen = listScreen(redeemCodes, (api) => api.adminRedeemCodes, overrides);
export const { loader, action } = screen;
export default screen.Screen;
