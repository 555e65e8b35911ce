/*
 * Print when an invoice is due: invoice YYYY-MM-DD DAYS
 *
 * A due day on a weekend is moved to the Monday after it.
 */

#include <stdio.h>
#include <stdlib.h>

struct date {
    int year;
    int month;
    int day;
};

enum { SUNDAY, MONDAY, SATURDAY = 6 };

static const char *const weekday_names[] = {
    "Sunday", "Monday", "Tuesday", "Wednesday",
    "Thursday", "Friday", "Saturday",
};

static int is_leap(int year)
{
    return year % 4 == 0;
}

static int days_in_month(int year, int month)
{
    static const int days[] = {
        31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31,
    };

    if (month == 2 && is_leap(year))
        return 29;
    return days[month - 1];
}

/* The days from 1 January of the year 1 to 1 January of `year`. */
static long days_before_year(int year)
{
    long past = year - 1;

    return past * 365 + past / 4 - past / 100 + past / 400;
}

static long day_number(struct date date)
{
    long number = days_before_year(date.year) + date.day;

    for (int month = 1; month < date.month; month++)
        number += days_in_month(date.year, month);
    return number;
}

static struct date date_of(long number)
{
    struct date date = { 1, 1, 1 };
    long rest;

    date.year = number / 366 + 1;
    while (days_before_year(date.year + 1) < number)
        date.year++;

    rest = number - days_before_year(date.year);
    while (rest > days_in_month(date.year, date.month)) {
        rest -= days_in_month(date.year, date.month);
        date.month++;
    }
    date.day = rest;
    return date;
}

/* 1 January of the year 1 was a Monday. */
static int weekday(long number)
{
    return number % 7;
}

static long skip_weekend(long number)
{
    if (weekday(number) == SATURDAY)
        return number + 2;
    if (weekday(number) == SUNDAY)
        return number + 1;
    return number;
}

static int read_date(const char *text, struct date *date)
{
    if (sscanf(text, "%d-%d-%d", &date->year, &date->month, &date->day) != 3)
        return 0;
    return date->year >= 1 && date->month >= 1 && date->month <= 12
        && date->day >= 1
        && date->day <= days_in_month(date->year, date->month);
}

int main(int argc, char *argv[])
{
    struct date sent, due;
    long number;

    if (argc != 3 || !read_date(argv[1], &sent)) {
        fprintf(stderr, "usage: invoice YYYY-MM-DD DAYS\n");
        return 2;
    }
    number = skip_weekend(day_number(sent) + atoi(argv[2]));
    due = date_of(number);
    printf("due on %s, %d-%02d-%02d\n",
           weekday_names[weekday(number)], due.year, due.month, due.day);
    return 0;
}
