/**
 * The sentences of the specification that concern the shell (sections 2 to 5, 8 and 9, without business features), each
 * with a number of its own. A test that shows a sentence begins its name with that number: `S2.1 …`. sentences.test.ts
 * fails for a sentence without a test.
 */
export const SENTENCES = {
  // Section 2: screens and routes
  'S2.1':
    'Start-up order: custom assets, access check, app creation, saved locale plus English, plugins, ad client code, mount on the next animation frame.',
  'S2.2':
    'The blocking overlay is titled "Access Denied", says that no port or local connection can be used, lists the issues, shows the current URL, explains the reverse proxy, links to the documentation, and has a Refresh Page button.',
  'S2.3':
    'The fallback page "Application Error" replaces the app if mounting fails: "Sorry, something went wrong. Please try refreshing the page."',
  'S2.4': 'Routes with auth styling redirect to the dashboard when the user is already logged in.',
  'S2.5':
    'Public routes: log-out, privacy policy, terms of service, 403, 500, and a catch-all Not Found, each with its status.',
  'S2.6': '/ws tells of a lost connection.',
  'S2.7': '/ redirects to /dashboard.',
  'S2.8': 'Every navigation scrolls to the top.',
  'S2.9': 'Pages change with an animated transition keyed on the full path.',
  'S2.10': 'Without the permission of an admin route: the Access Denied dialog, then /errors/403.',
  'S2.11':
    'A route that requires login, without an auth cookie, stores the full path under redirectAfterLogin and goes to the Login screen.',
  'S2.12': 'The auth-redirect goes to the stored target if one exists and clears it, otherwise to the dashboard.',
  'S2.13': 'A login counts as present if any of the five cookies exists.',
  'S2.14': 'A floating button opens the UI Customization panel with tabs Transitions, UI Components, Performance.',
  'S2.15': 'Ctrl+I toggles the debug panel with tabs Network, Errors, Console, App, Storage, Settings.',
  'S2.16': 'The debug panel is open to any visitor and has a terminal that runs typed code.',
  'S2.17':
    'Every request made through the fetch wrapper is logged, newest first, with url, method, status, statusText, request body and response body.',
  // Section 3: entities
  'S3.1':
    'Each non-null entry of user_info, billing and stats is cached in local storage under its own key, permissions under user_permissions.',
  'S3.2': 'A permission catalogue entry has constant, value, category and description.',
  'S3.3': 'App settings are cached in local storage under the settings cache key, with the listed fields.',
  'S3.4': 'The thirteen feature flags.',
  'S3.5':
    'Debug info: debug_debug, debug_version, debug_os, debug_os_kernel, debug_name, debug_telemetry, and useRedis and rateLimit.',
  'S3.6':
    'UI settings lie under ui-settings in the groups skin, dropdown, sidebar, topNav, notifications, performance.',
  'S3.7': 'The chosen page transition lies under preferredTransition.',
  'S3.8': 'The locale is stored under a locale key, EN by default.',
  'S3.9': 'A change to ui-settings, from another tab or the same tab, refreshes the UI settings.',
  // Section 4: states and transitions
  'S4.1': 'No cookie: no session.',
  'S4.2': 'With a cookie: initialised once, cached permissions first, then session data.',
  'S4.3': 'The session is refreshed every 60 seconds.',
  'S4.4': 'A refresh is skipped while another is running.',
  'S4.5': 'If the cookie vanishes, refreshing stops and state is cleaned up.',
  'S4.6':
    'A failed session clears cookie and local storage, resets cached state, and leads to /auth/login after a dialog.',
  'S4.7': 'TW0_FA_BLOCKED goes straight to /auth/2fa/verify.',
  'S4.8': 'Fetch errors 503, and 500 and above, count as failed sessions.',
  'S4.9': 'Other fetch failures are retried up to 3 times, 2 seconds apart.',
  'S4.10': 'Both panels open and close, and the active tab is chosen by click.',
  'S4.11':
    'Page transitions: fade, slide-right, slide-left, slide-up, slide-down, scale, flip, rotate; fade by default.',
  'S4.12': 'Component animation styles: fade, slide, scale, bounce.',
  'S4.13': 'If the ad code is unavailable, ads are skipped with a console warning.',
  'S4.14': 'If plugin set-up fails, it is logged and start-up continues.',
  'S4.15': 'If mounting fails, the fallback page replaces the app.',
  // Section 5: validation rules
  'S5.1': 'The holder of admin.root has every permission.',
  'S5.2': 'Otherwise the exact permission string must be in the list.',
  'S5.3': 'An empty list in memory is reloaded from the cached copy.',
  'S5.4': 'Access is rejected over plain HTTP.',
  'S5.5': 'Access is rejected when the host is not a proper domain.',
  'S5.6': 'Access is rejected with a port other than 80 or 443.',
  'S5.7': 'Background opacity 0.1 to 1.0, step 0.05.',
  'S5.8': 'Zoom 0.5 to 1.5, step 0.1.',
  'S5.9': 'Transition speed 0.5 to 5.0, step 0.1.',
  'S5.10': 'Frame rate limit 30 to 144, step 15.',
  'S5.11': 'Image addresses for lazy loading must parse as URLs; others are dropped with a console warning.',
  // Section 7: calls
  'S7.1': 'GET /api/user/session is sent and answered with no-cache headers.',
  'S7.2': 'GET /api/system/custom.css is the stylesheet of the host.',
  'S7.3': 'GET /api/system/custom.js is the script of the host.',
  'S7.4': 'GET /api/system/ga-ads is plain text, trimmed; a non-OK answer is logged and ads are skipped.',
  'S7.5': '/assets/main.css is preloaded.',
  'S7.6': 'Locale files load lazily per language.',
  // Section 8: error catalogue
  'S8.1':
    'SERVER_UNAVAILABLE: dialog "Server Unavailable", "The server is currently unavailable. Please try again later.", then login.',
  'S8.2':
    'Session failed: dialog "Session Error", "Your session has expired or is invalid.", footer "Please log in again.", then login.',
  'S8.3':
    'Missing permission: dialog "Access Denied", "You do not have permission to access this resource.", then /errors/403.',
  'S8.4': 'Session start failure: dialog "Error", "Failed to start session. Please try again.", then login.',
  'S8.5': 'HTTP 500 or above is SERVER_ERROR; 503 is SERVER_UNAVAILABLE.',
  'S8.6':
    'Issue lines: "HTTP connection (use HTTPS)", "Invalid domain access (use proper domain)", "Port {port} (use reverse proxy)".',
  'S8.7': 'An error is thrown that says the product cannot be used on HTTP, IP or port access.',
  'S8.8': 'A locale that cannot be loaded is logged, and the app continues.',
  'S8.9': 'A plugin that fails at its start is logged.',
  'S8.10': 'Performance optimisation that fails at its start is logged as a warning.',
  'S8.11':
    'Unhandled rejections and global errors are collected in the debug panel, prefixed "Unhandled Promise Rejection" and "Global Error".',
  'S8.12': 'Default texts of dialog buttons: OK, No, Cancel.',
  // Section 9: constants
  'S9.1': 'Session refresh 60000 ms; at most 3 retries, 2000 ms apart; user_token marks a session.',
  'S9.2': 'Locales EN, RO, FR, DE, ES, MD; default and fallback EN.',
  'S9.3': 'The refresh of the UI settings after a local write is delayed by 10 ms.',
  'S9.4': 'Allowed ports: 80, 443, or none.',
  'S9.5': 'Skin viewer: walking on, auto rotate off, zoom 0.8, animation speed 1, camera light 3, global light 2.9.',
  'S9.6':
    'Performance defaults: transition speed 4.5, frame rate limit 75, caching, compression, lazy loading, image optimisation and preloading on, reduce motion off.',
  'S9.7': 'Background opacity 0.95 and border radius xl by default.',
  'S9.8': 'Memory clean-up every 30000 ms.',
  'S9.9': 'Lazy loading with a margin of 50px and a threshold of 0.1.',
  'S9.10': 'The duration of a transition is the reciprocal of the speed, in seconds.',
} as const;
