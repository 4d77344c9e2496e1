/**
 * Breaking changes of the API since the last release (`released-api.txt`) that were meant, as the test names them, each
 * with its reason and what programs do instead. To accept one: look for a way without it first (keep the old field or
 * path beside the new one), then write it here, and say it in the notes of the release, which needs a new major
 * version. `bun scripts/release-api.ts` begins the next count; then the list is emptied.
 */
export const ACCEPTED: Readonly<Record<string, string>> = {
  'GET /api/admin/webhooks/events: is gone':
    'the events of webhooks are for everybody who writes a receiver: GET /api/webhook-events gives the same',
  'GET /api/admin/payments/{id}: gives no payment.taken_back any more':
    'The field is clawed_back, as orders and joins have one word for credits that are taken because what they were paid for is over. Programs read that one. The webhook event j4r.taken_back is j4r.clawed_back: receivers that act on its type know both for as long as they are sent what was delivered before.',
  'GET /api/payments/orders/{id}/receipt: gives no receipt.buyer any more':
    'Who a receipt is for is its customer, as its page and its PDF say: programs read receipt.customer, which has the same fields.',
  'GET /api/payments/orders/{id}/receipt: gives no receipt.buyer.email any more': 'It is receipt.customer.email.',
  'GET /api/payments/orders/{id}/receipt: gives no receipt.buyer.name any more': 'It is receipt.customer.name.',
  'GET /api/payments/orders/{id}/receipt: gives no receipt.buyer.username any more': 'It is receipt.customer.username.',
  'GET /api/admin/tickets: may give null as counts':
    'Beside what is searched nothing is counted: a page of a search reads few rows, and counting read up to a thousand.',
  'GET /api/admin/tickets: may give null as departments[].count': 'As with the counts.',
};
