// The texts of the phones themselves, in the app's languages. The page around the phones is English.

import { tag } from "/page/languages.js";

/** `%` is a name, in that language's own order. */
const TEXTS = {
  en: {
    idle: "No Live Activity", waiting: "Waiting for the first push …",
    quiet: "no alert yet", activity: "Live Activity",
    swipe: "Swipe away", swipeName: "Swipe away %", health: "Health", healthOf: "Health of %",
    active: "active", stale: "stale", ended: "ended", online: "Online", offline: "Offline",
    level: "Level", experience: "XP", power: "Power", leaderboard: "Leaderboard",
  },
  ar: {
    idle: "لا يوجد نشاط مباشر", waiting: "في انتظار أول إشعار…",
    quiet: "لا توجد تنبيهات بعد", activity: "نشاط مباشر",
    swipe: "إزالة", swipeName: "إزالة %", health: "الصحة", healthOf: "صحة %",
    active: "نشط", stale: "قديم", ended: "منتهٍ", online: "متصل", offline: "غير متصل",
    level: "المستوى", experience: "الخبرة", power: "القوة", leaderboard: "لوحة الصدارة",
  },
  de: {
    idle: "Keine Live-Aktivität", waiting: "Wartet auf den ersten Push …",
    quiet: "noch kein Hinweis", activity: "Live-Aktivität",
    swipe: "Wegwischen", swipeName: "% wegwischen", health: "Gesundheit", healthOf: "Gesundheit von %",
    active: "aktiv", stale: "veraltet", ended: "beendet", online: "Online", offline: "Offline",
    level: "Stufe", experience: "EP", power: "Stärke", leaderboard: "Bestenliste",
  },
  es: {
    idle: "Ninguna actividad en vivo", waiting: "Esperando la primera notificación…",
    quiet: "aún no hay avisos", activity: "Actividad en vivo",
    swipe: "Descartar", swipeName: "Descartar %", health: "Salud", healthOf: "Salud de %",
    active: "en curso", stale: "desactualizada", ended: "finalizada", online: "En línea", offline: "Sin conexión",
    level: "Nivel", experience: "EXP", power: "Poder", leaderboard: "Clasificación",
  },
  fr: {
    idle: "Aucune activité en direct", waiting: "En attente de la première notification…",
    quiet: "aucune alerte pour l’instant", activity: "Activité en direct",
    swipe: "Retirer", swipeName: "Retirer %", health: "Santé", healthOf: "Santé de %",
    active: "en cours", stale: "périmée", ended: "terminée", online: "En ligne", offline: "Hors ligne",
    level: "Niveau", experience: "XP", power: "Puissance", leaderboard: "Classement",
  },
  ja: {
    idle: "ライブアクティビティなし", waiting: "最初のプッシュを待っています…",
    quiet: "通知はまだありません", activity: "ライブアクティビティ",
    swipe: "消去", swipeName: "%を消去", health: "体力", healthOf: "%の体力",
    active: "進行中", stale: "古い情報", ended: "終了", online: "オンライン", offline: "オフライン",
    level: "レベル", experience: "経験値", power: "パワー", leaderboard: "ランキング",
  },
  ko: {
    idle: "실시간 현황 없음", waiting: "첫 푸시를 기다리는 중…",
    quiet: "아직 알림이 없습니다", activity: "실시간 현황",
    swipe: "지우기", swipeName: "% 지우기", health: "체력", healthOf: "%의 체력",
    active: "진행 중", stale: "오래된 정보", ended: "종료됨", online: "온라인", offline: "오프라인",
    level: "레벨", experience: "경험치", power: "힘", leaderboard: "순위표",
  },
  ru: {
    idle: "Нет активностей", waiting: "Ожидание первого уведомления…",
    quiet: "оповещений пока нет", activity: "Активность",
    swipe: "Смахнуть", swipeName: "Смахнуть: %", health: "Здоровье", healthOf: "Здоровье: %",
    active: "идёт", stale: "устарела", ended: "завершена", online: "В сети", offline: "Не в сети",
    level: "Уровень", experience: "Опыт", power: "Сила", leaderboard: "Таблица лидеров",
  },
  vi: {
    idle: "Không có hoạt động trực tiếp", waiting: "Đang chờ thông báo đầu tiên…",
    quiet: "chưa có cảnh báo", activity: "Hoạt động trực tiếp",
    swipe: "Vuốt bỏ", swipeName: "Vuốt bỏ %", health: "Sức khỏe", healthOf: "Sức khỏe của %",
    active: "đang diễn ra", stale: "đã cũ", ended: "đã kết thúc", online: "Trực tuyến", offline: "Ngoại tuyến",
    level: "Cấp", experience: "KN", power: "Sức mạnh", leaderboard: "Bảng xếp hạng",
  },
  "zh-Hans": {
    idle: "没有实时活动", waiting: "正在等待第一条推送…",
    quiet: "尚无提醒", activity: "实时活动",
    swipe: "划除", swipeName: "划除%", health: "生命值", healthOf: "%的生命值",
    active: "进行中", stale: "已过时", ended: "已结束", online: "在线", offline: "离线",
    level: "等级", experience: "经验", power: "力量", leaderboard: "排行榜",
  },
};

/** The texts and formats by locale, created once: creating a format is slow. */
const known = new Map();

/** Returns the texts of a phone in its language, or in English, as the app does for a language that it does not have. */
export function texts(locale) {
  if (!known.has(locale)) known.set(locale, load(locale));
  return known.get(locale);
}

function load(locale) {
  const { language, script } = new Intl.Locale(tag(locale)).maximize();
  const found = TEXTS[`${language}-${script}`] ?? TEXTS[language] ?? TEXTS.en;
  const percent = new Intl.NumberFormat(tag(locale), { style: "percent" });
  const seconds = new Intl.NumberFormat(tag(locale), { style: "unit", unit: "second", unitDisplay: "narrow" });
  return {
    ...found,
    swipeAway: (name) => found.swipeName.replace("%", () => name),
    healthOfName: (name) => found.healthOf.replace("%", () => name),
    percent: (share) => percent.format(share),
    seconds: (count) => seconds.format(count),
    statsOf: ({ level, exp: experience, power }) =>
      Object.entries({ level, experience, power })
        .filter(([, value]) => value !== undefined)
        .map(([stat, value]) => `${found[stat]} ${value.toLocaleString(tag(locale))}`)
        .join(" · "),
  };
}
