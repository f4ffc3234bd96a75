return { whole(real), 'ok', steps[step](input) or {} }
