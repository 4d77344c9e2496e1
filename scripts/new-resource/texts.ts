import type { Locale } from '#shared/i18n/locales.ts';
import type { FieldSpec, Names } from './fields.ts';
import { sentence } from './files.ts';

/**
 * Words that the generator knows in every language, so that a new area reads well before anybody has written for it.
 * What it does not know, the area's own name first of all, stands in English and in quotation marks: whoever adds the
 * area writes it anew.
 */
interface Words {
  readonly quote: (text: string) => string;
  /** In: the area's name. */
  readonly pages: Record<'create' | 'edit' | 'delete', (what: string) => string>;
  readonly activity: Record<'create' | 'edit' | 'delete', (what: string) => string>;
  readonly lead: (what: string) => string;
  readonly create: string;
  readonly deleteTitle: string;
  readonly search: string;
  readonly emptyTitle: string;
  readonly emptyText: string;
  readonly refused: string;
  readonly basics: string;
  readonly on: string;
  readonly off: string;
  readonly permissions: Record<'list' | 'create' | 'edit' | 'delete', (what: string) => readonly [string, string]>;
  readonly fields: Readonly<Record<string, string>>;
}

const ROMANIAN: Words = {
  quote: (text) => `„${text}”`,
  pages: {
    create: (what) => `Intrare nouă: ${what}`,
    edit: (what) => `Editează intrarea: ${what}`,
    delete: (what) => `Șterge intrarea: ${what}`,
  },
  activity: {
    create: (what) => `{{actor}} a adăugat {{target}} la ${what}`,
    edit: (what) => `{{actor}} a editat {{target}} din ${what}`,
    delete: (what) => `{{actor}} a șters {{target}} din ${what}`,
  },
  lead: (what) => `Toate intrările din ${what}.`,
  create: 'Adaugă intrare',
  deleteTitle: 'Șterge {{name}}',
  search: 'Caută',
  emptyTitle: 'Nicio intrare încă',
  emptyText: 'Adaugă prima intrare ca să înceapă lista.',
  refused: 'Ceva mai depinde de această intrare, deci rămâne.',
  basics: 'De bază',
  on: 'Activ',
  off: 'Inactiv',
  permissions: {
    list: (what) => [`Vede ${what}`, `Vede lista ${what}, caută în ea și o exportă.`],
    create: (what) => [`Adaugă la ${what}`, `Adaugă o intrare la ${what}.`],
    edit: (what) => [`Editează ${what}`, `Modifică intrările din ${what}.`],
    delete: (what) => [`Șterge din ${what}`, `Șterge definitiv intrări din ${what}. Ce e încă folosit undeva rămâne.`],
  },
  fields: {
    title: 'Titlu',
    email: 'Adresă de e-mail',
    url: 'Adresă',
    website: 'Site',
    color: 'Culoare',
    hours: 'Program',
    price: 'Preț',
    credits: 'Credite',
    note: 'Notiță',
    content: 'Conținut',
    starts_at: 'Început',
    ends_at: 'Sfârșit',
  },
};

/** By language. Moldovan writes these as Romanian does. */
const WORDS: Readonly<Record<Locale, Words>> = {
  en: {
    quote: (text) => text,
    pages: {
      create: (what) => `New entry: ${what}`,
      edit: (what) => `Edit entry: ${what}`,
      delete: (what) => `Delete entry: ${what}`,
    },
    activity: {
      create: (what) => `{{actor}} added {{target}} to ${what}`,
      edit: (what) => `{{actor}} edited {{target}} in ${what}`,
      delete: (what) => `{{actor}} deleted {{target}} from ${what}`,
    },
    lead: (what) => `All entries of ${what}.`,
    create: 'Add entry',
    deleteTitle: 'Delete {{name}}',
    search: 'Search',
    emptyTitle: 'No entries yet',
    emptyText: 'Add the first one to begin the list.',
    refused: 'Something still depends on this entry, so it stays.',
    basics: 'Basics',
    on: 'On',
    off: 'Off',
    permissions: {
      list: (what) => [`See ${what}`, `See the list of ${what}, search it and export it.`],
      create: (what) => [`Add ${what}`, `Add entries to ${what}.`],
      edit: (what) => [`Edit ${what}`, `Change entries of ${what}.`],
      delete: (what) => [`Delete ${what}`, `Delete entries of ${what} for good. What is still in use stays.`],
    },
    fields: { url: 'Address', starts_at: 'Start', ends_at: 'End' },
  },
  de: {
    quote: (text) => `„${text}“`,
    pages: {
      create: (what) => `Neuer Eintrag: ${what}`,
      edit: (what) => `Eintrag bearbeiten: ${what}`,
      delete: (what) => `Eintrag löschen: ${what}`,
    },
    activity: {
      create: (what) => `{{actor}} hat {{target}} in ${what} angelegt`,
      edit: (what) => `{{actor}} hat {{target}} in ${what} bearbeitet`,
      delete: (what) => `{{actor}} hat {{target}} aus ${what} gelöscht`,
    },
    lead: (what) => `Alle Einträge in ${what}.`,
    create: 'Eintrag anlegen',
    deleteTitle: '{{name}} löschen',
    search: 'Suchen',
    emptyTitle: 'Noch keine Einträge',
    emptyText: 'Lege den ersten Eintrag an, damit die Liste beginnt.',
    refused: 'Von diesem Eintrag hängt noch etwas ab, deshalb bleibt er.',
    basics: 'Allgemein',
    on: 'An',
    off: 'Aus',
    permissions: {
      list: (what) => [`${what} ansehen`, `Die Liste ${what} ansehen, durchsuchen und exportieren.`],
      create: (what) => [`In ${what} anlegen`, `Einträge in ${what} anlegen.`],
      edit: (what) => [`${what} bearbeiten`, `Bestehende Einträge in ${what} ändern.`],
      delete: (what) => [
        `Aus ${what} löschen`,
        `Einträge in ${what} endgültig löschen. Was noch gebraucht wird, bleibt.`,
      ],
    },
    fields: {
      title: 'Titel',
      email: 'E-Mail-Adresse',
      url: 'Adresse',
      website: 'Webseite',
      color: 'Farbe',
      hours: 'Sprechzeiten',
      price: 'Preis',
      credits: 'Guthaben',
      note: 'Notiz',
      content: 'Inhalt',
      starts_at: 'Beginn',
      ends_at: 'Ende',
    },
  },
  fr: {
    quote: (text) => `«\u00a0${text}\u00a0»`,
    pages: {
      create: (what) => `Nouvelle entrée\u00a0: ${what}`,
      edit: (what) => `Modifier l’entrée\u00a0: ${what}`,
      delete: (what) => `Supprimer l’entrée\u00a0: ${what}`,
    },
    activity: {
      create: (what) => `{{actor}} a ajouté {{target}} à ${what}`,
      edit: (what) => `{{actor}} a modifié {{target}} dans ${what}`,
      delete: (what) => `{{actor}} a supprimé {{target}} de ${what}`,
    },
    lead: (what) => `Toutes les entrées de ${what}.`,
    create: 'Ajouter une entrée',
    deleteTitle: 'Supprimer {{name}}',
    search: 'Chercher',
    emptyTitle: 'Aucune entrée',
    emptyText: 'Ajoute la première pour commencer la liste.',
    refused: 'Quelque chose dépend encore de cette entrée, elle reste donc.',
    basics: 'Général',
    on: 'Activé',
    off: 'Désactivé',
    permissions: {
      list: (what) => [`Voir ${what}`, `Voir la liste ${what}, y chercher et l’exporter.`],
      create: (what) => [`Ajouter à ${what}`, `Ajouter des entrées à ${what}.`],
      edit: (what) => [`Modifier ${what}`, `Modifier les entrées de ${what}.`],
      delete: (what) => [
        `Supprimer de ${what}`,
        `Supprimer définitivement des entrées de ${what}. Ce qui sert encore reste en place.`,
      ],
    },
    fields: {
      title: 'Titre',
      email: 'Adresse e-mail',
      url: 'Adresse',
      website: 'Site web',
      color: 'Couleur',
      hours: 'Horaires',
      price: 'Prix',
      credits: 'Crédits',
      note: 'Remarque',
      content: 'Contenu',
      starts_at: 'Début',
      ends_at: 'Fin',
    },
  },
  es: {
    quote: (text) => `«${text}»`,
    pages: {
      create: (what) => `Nueva entrada: ${what}`,
      edit: (what) => `Editar la entrada: ${what}`,
      delete: (what) => `Eliminar la entrada: ${what}`,
    },
    activity: {
      create: (what) => `{{actor}} añadió {{target}} a ${what}`,
      edit: (what) => `{{actor}} editó {{target}} en ${what}`,
      delete: (what) => `{{actor}} eliminó {{target}} de ${what}`,
    },
    lead: (what) => `Todas las entradas de ${what}.`,
    create: 'Añadir entrada',
    deleteTitle: 'Eliminar {{name}}',
    search: 'Buscar',
    emptyTitle: 'Aún no hay entradas',
    emptyText: 'Añade la primera para empezar la lista.',
    refused: 'Algo depende todavía de esta entrada, así que se queda.',
    basics: 'General',
    on: 'Activado',
    off: 'Desactivado',
    permissions: {
      list: (what) => [`Ver ${what}`, `Ver la lista ${what}, buscar en ella y exportarla.`],
      create: (what) => [`Añadir a ${what}`, `Añadir entradas a ${what}.`],
      edit: (what) => [`Editar ${what}`, `Cambiar las entradas de ${what}.`],
      delete: (what) => [
        `Eliminar de ${what}`,
        `Eliminar entradas de ${what} para siempre. Lo que todavía se usa se queda.`,
      ],
    },
    fields: {
      title: 'Título',
      email: 'Correo electrónico',
      url: 'Dirección',
      website: 'Sitio web',
      color: 'Color',
      hours: 'Horario',
      price: 'Precio',
      credits: 'Créditos',
      note: 'Nota',
      content: 'Contenido',
      starts_at: 'Inicio',
      ends_at: 'Fin',
    },
  },
  ro: ROMANIAN,
  md: ROMANIAN,
};

/** What the texts of an area are made from. */
export interface TextPlan {
  readonly names: Names;
  readonly fields: readonly FieldSpec[];
  /** Whether the permissions are new to the catalogue, so that the area brings their texts. */
  readonly newPermissions: boolean;
  /** The names of fields that all areas share in a language. */
  readonly shared: ReadonlySet<string>;
  /** The title of an area that is referred to, in the language. */
  readonly titleOf: (area: string) => string;
}

/** The file of an area's texts in one language. */
export function textsFile(locale: Locale, plan: TextPlan): string {
  const { names, fields, newPermissions } = plan;
  const words = WORDS[locale];
  const plain = sentence(names.kebab);
  const title = words.quote(plain);
  const what = locale === 'en' ? plain.toLowerCase() : title;
  const labels = fields.flatMap((field) => labelsOf(field, words, plan));
  const switches = fields.filter(({ type }) => type === 'switch');
  const texts = {
    pages: { list: title, ...every(words.pages, what) },
    activity: every(words.activity, what),
    ...(newPermissions ? { permissions: permissionTexts(words, names, title, what) } : {}),
    title,
    lead: words.lead(what),
    create: words.create,
    createTitle: words.pages.create(what),
    deleteTitle: words.deleteTitle,
    search: words.search,
    emptyTitle: words.emptyTitle,
    emptyText: words.emptyText,
    refused: words.refused,
    groups: { basics: words.basics },
    ...(labels.length > 0 ? { fields: Object.fromEntries(labels) } : {}),
    ...(switches.length > 0
      ? {
          values: Object.fromEntries(
            switches.flatMap(({ name }) => [
              [`${name}_true`, words.on],
              [`${name}_false`, words.off],
            ]),
          ),
        }
      : {}),
  };
  return `${JSON.stringify(texts, null, 2)}\n`;
}

function every<K extends string>(of: Record<K, (what: string) => string>, what: string): Record<string, string> {
  return Object.fromEntries(Object.entries<(what: string) => string>(of).map(([key, text]) => [key, text(what)]));
}

/** The names of a field where no other area has written them. */
function labelsOf({ name, target, shownAs }: FieldSpec, words: Words, { shared, titleOf }: TextPlan): string[][] {
  if (target && shownAs) return [name, shownAs].map((each) => [each, titleOf(target)]);
  if (shared.has(name)) return [];
  return [[name, words.fields[name] ?? words.quote(sentence(name.replace(/_at$/, '')))]];
}

function permissionTexts(words: Words, { camel, permission }: Names, title: string, what: string): object {
  const constant = permission.toUpperCase().replaceAll(/[.-]/g, '_');
  const one = (operation: keyof Words['permissions']) => {
    const [label, text] = words.permissions[operation](what);
    return [`${constant}_${operation.toUpperCase()}`, { label, text }];
  };
  return {
    category: { [camel]: title },
    ...Object.fromEntries((['create', 'edit', 'delete', 'list'] as const).map(one)),
  };
}
